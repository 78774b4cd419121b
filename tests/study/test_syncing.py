"""A shared folder and another machine over ssh: a real sshd on loopback, with a key and a port of its own."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from studyapp.core.errors import StoreError, UsageError
from studyapp.store.merging import Merged
from studyapp.study.far import Far, FarError
from studyapp.study.merging import NotInTimeError, is_folder, merge_far, sync_in, sync_out
from tests.sshd import client_config, free_port, new_key, server
from tests.study.machine import Machine, assert_whole, copied, machines, record

__all__ = ["server"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "shared"
    place.mkdir()
    return place


def level(folder: Path, *found: Machine) -> None:
    """Let every machine write, then read."""
    for machine in found:
        sync_out(machine.desk, str(folder))
    for machine in found:
        sync_in(machine.desk, str(folder), limit_s=60)


def test_two_machines_keep_one_record_through_a_folder_with_one_file_each(folder: Path) -> None:
    with machines(2) as (here, there):
        here.has("a", "b").answer("gpu/a")
        there.has("a", "b")
        for machine in (here, there):
            level(folder, here, there)
            machine.answer("gpu/b")
            machine.run(9.0)
            machine.read(1)
            machine.note(len(record(machine)["notes"]) + 1)
            machine.undo()
            machine.suspend("gpu/a")
        level(folder, here, there)

        assert record(here) == record(there)
        assert len(record(here)["runs"]) == len(record(here)["notes"]) == 2
        assert {path.name for path in folder.iterdir()} == {
            f"{machine.desk.store.device}.jsonl" for machine in (here, there)
        }
        assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())
        assert_whole(here)


def test_nothing_is_written_twice_and_nothing_that_came_goes_back(folder: Path) -> None:
    with machines(2) as (here, there):
        here.has("a").answer("gpu/a")
        level(folder, here, there)
        level(folder, here, there)
        sizes = {path: path.stat().st_size for path in folder.iterdir()}

        level(folder, here, there)

        assert {path: path.stat().st_size for path in folder.iterdir()} == sizes
        assert [path.stem for path in sizes] == [here.desk.store.device]  # the other had nothing of its own


def test_a_torn_line_is_left_out_and_its_row_comes_with_the_next_writing(folder: Path) -> None:
    with machines(2) as (here, there):
        here.has("a", "b").answer("gpu/a")
        sync_out(here.desk, str(folder))
        (segment,) = folder.iterdir()
        whole = segment.read_bytes()
        segment.write_bytes(whole[:-20])  # a machine died, or git has only a part

        assert sync_in(there.desk, str(folder), 60).reviews == 0
        here.answer("gpu/b")
        sync_out(here.desk, str(folder))

        assert sync_in(there.desk, str(folder), 60).reviews == 2
        assert record(there)["log"] == record(here)["log"]
        assert segment.read_bytes().startswith(whole[:-20] + b"\n")  # append-only, even then


def test_lines_that_are_no_rows_are_left_out(folder: Path) -> None:
    with machines(2) as (here, there):
        here.has("a").answer("gpu/a")
        sync_out(here.desk, str(folder))
        (segment,) = folder.iterdir()
        lines = segment.read_bytes().splitlines(keepends=True)
        strange = [
            b"<<<<<<< HEAD\n",
            b"\xff\xfe\x00\n",
            b"[]\n",
            b"7\n",
            b'{"songs": [1]}\n',
            b'{"reviews": [1, 2]}\n',
            b'{"reviews": ' + json.dumps([{"a": 1}] * 43).encode() + b"}\n",
            lines[-1].replace(b'"learn"', b"null"),
        ]
        segment.write_bytes(b"".join([lines[0], *strange, *lines[1:]]))

        assert sync_in(there.desk, str(folder), 60).reviews == 1
        assert_whole(there)


def test_a_segment_that_was_deleted_is_written_again_whole(folder: Path) -> None:
    with machines(2) as (here, there):
        here.has("a").answer("gpu/a")
        sync_out(here.desk, str(folder))
        for path in folder.iterdir():
            path.unlink()

        sync_out(here.desk, str(folder))

        assert sync_in(there.desk, str(folder), 60).reviews == 1


def test_a_copied_home_writes_a_segment_of_its_own(folder: Path, tmp_path: Path) -> None:
    with machines(1) as (here,):
        here.has("a", "b").answer("gpu/a")
        sync_out(here.desk, str(folder))
        with copied(here, tmp_path / "copy").desk as desk:
            there = Machine.of(desk)
            here.answer("gpu/b")
            there.answer("gpu/b", 1)
            level(folder, here, there)

            assert record(here) == record(there)
            assert len(list(folder.iterdir())) == 2


def test_a_segment_of_a_newer_program_is_refused_in_words(folder: Path) -> None:
    with machines(1) as (here,):
        header = {"studyapp": "9.0", "schema": "0999", "columns": {}}
        (folder / f"{'a' * 32}.jsonl").write_text(json.dumps(header) + "\n", encoding="ascii")

        with pytest.raises(StoreError, match=r"newer studyapp \(9\.0, schema 0999\)"):
            sync_in(here.desk, str(folder), 60)


def test_a_folder_that_is_not_there_or_cannot_be_written_is_named(folder: Path) -> None:
    with machines(1) as (here,):
        here.has("a").answer("gpu/a")
        for way in (sync_in, sync_out):
            with pytest.raises(StoreError, match="is not there"):
                way(here.desk, str(folder / "gone"))
        (folder / f"{here.desk.store.device}.jsonl").mkdir()
        with pytest.raises(StoreError, match="cannot be written"):
            sync_out(here.desk, str(folder))


def test_what_does_not_fit_into_the_time_changes_nothing_and_comes_later(folder: Path) -> None:
    with machines(2) as (here, there):
        there.has("a").answer("gpu/a")
        sync_out(there.desk, str(folder))
        before = record(here)

        with pytest.raises(NotInTimeError):
            sync_in(here.desk, str(folder), limit_s=-1)

        assert record(here) == before
        assert sync_in(here.desk, str(folder), 60).reviews == 1


def test_a_slash_a_tilde_or_a_dot_makes_a_folder_of_the_setting() -> None:
    assert [is_folder(text) for text in ("~/sync", "/mnt/x", "./x", "..", "a/b")] == [True] * 5
    assert [is_folder(text) for text in ("box", "me@box", "10.0.0.7")] == [False] * 3


@dataclass
class Box:
    """The far machine: an sshd that lets our key in, and the store that studyapp uses there."""

    far: Far
    data: Path
    ssh_config: Path
    key: Path

    def machine(self) -> Machine:
        return Machine(self.data / "study.db")


@pytest.fixture
def box(server: tuple[Path, int], tmp_path: Path) -> Box:
    config = client_config(server, tmp_path / "ssh_config")
    data = tmp_path / "far"
    program = (sys.executable, "-m", "studyapp", "--data-dir", str(data))
    return Box(Far("box", ("ssh", "-F", str(config)), program), data, config, server[0] / "user")


def test_merging_with_a_host_brings_both_records_level(box: Box) -> None:
    with machines(1) as (here,):
        here.has("a", "b").answer("gpu/a")
        here.run(9.0)
        with box.machine().has("a", "b").desk as desk:
            Machine.of(desk).answer("gpu/b", 4)
            Machine.of(desk).suspend("gpu/a")

        done = merge_far(here.desk, box.far)

        assert (done.here.reviews, done.there.reviews, done.there.runs) == (2, 1, 1)
        with box.machine().desk as desk:
            ours, theirs = record(here), record(Machine.of(desk))
        for name in ("log", "runs", "points", "predictions"):
            assert ours[name] == theirs[name], name
        again = merge_far(here.desk, box.far)
        assert not again.here.anything
        assert not again.there.anything


def test_the_start_only_takes_and_quitting_only_gives(box: Box) -> None:
    with machines(1) as (here,):
        here.has("a", "b").answer("gpu/a")
        with box.machine().has("b").desk as desk:
            Machine.of(desk).answer("gpu/b")

        assert sync_in(here.desk, "box", 60, box.far).reviews == 1
        with box.machine().desk as desk:
            assert len(desk.store.reviews()) == 1
        assert sync_out(here.desk, "box", 60, box.far) == 1
        with box.machine().desk as desk:
            assert len(desk.store.reviews()) == 2


def test_a_login_script_that_talks_is_no_hindrance(box: Box) -> None:
    program = ("sh", "-c", 'echo welcome; echo {}; exec "$0" "$@"', *box.far.program)
    with machines(1) as (here,):
        here.has("a").answer("gpu/a")

        assert merge_far(here.desk, Far("box", box.far.ssh, program)).there.reviews == 1


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (("no-such-program",), "There is no studyapp on box"),
        (("true",), "box broke off"),
        (("sh", "-c", "echo the disk is full >&2; exit 3"), "box broke off: the disk is full"),
        (("sh", "-c", """echo '{"have": {"devices": {}, "runs": []}}'; printf '{"cut'"""), "box broke off"),
    ],
)
def test_a_far_side_that_does_not_play_its_part_is_named_and_costs_nothing(
    box: Box, program: tuple[str, ...], words: str
) -> None:
    with machines(1) as (here,):
        here.has("a").answer("gpu/a")
        before = record(here)

        with pytest.raises(FarError, match=words):
            merge_far(here.desk, Far("box", box.far.ssh, program))

        assert record(here) == before


def test_a_far_side_that_takes_too_long_is_given_up(box: Box) -> None:
    with machines(1) as (here,), pytest.raises(FarError, match=r"took longer than 0\.5 s"):
        sync_in(here.desk, "box", 0.5, Far("box", box.far.ssh, ("sh", "-c", "sleep 3")))


def test_a_host_nobody_answers_for_is_named(box: Box) -> None:
    with box.ssh_config.open("a") as config:
        config.write(f"Host dead\n HostName 127.0.0.1\n Port {free_port()}\n")
    with machines(1) as (here,), pytest.raises(FarError, match=r"dead cannot be reached: .*Connection refused"):
        merge_far(here.desk, Far("dead", box.far.ssh))


def test_a_host_that_is_not_known_yet_is_named(box: Box) -> None:
    box.ssh_config.write_text(box.ssh_config.read_text().replace("known", "nothing-known"))
    with machines(1) as (here,), pytest.raises(FarError, match="is not known to ssh yet"):
        merge_far(here.desk, box.far)


def test_a_stale_agent_is_named(box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = new_key(tmp_path / "stranger")
    box.ssh_config.write_text(box.ssh_config.read_text().replace(str(box.key), str(stranger)))
    with machines(1) as (here,):
        monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
        with pytest.raises(FarError, match="lets nobody in without asking"):
            merge_far(here.desk, box.far)
        monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent.gone"))
        with pytest.raises(FarError, match=r"agent at .*agent\.gone is gone"):
            merge_far(here.desk, box.far)


@pytest.mark.parametrize("host", ["-oProxyCommand=touch /tmp/x", "me@-box", "a b", "", "box;ls", "$(ls)", "@box"])
def test_what_is_no_host_is_refused_before_ssh_is_called(host: str) -> None:
    with machines(1) as (here,), pytest.raises(UsageError, match="is no host"):
        merge_far(here.desk, Far(host, ("false",)))


def test_a_missing_ssh_is_named() -> None:
    with machines(1) as (here,), pytest.raises(FarError, match="cannot be started"):
        merge_far(here.desk, Far("box", ("no-such-ssh",)))


def test_nothing_new_is_nothing() -> None:
    assert not Merged().anything
