"""What the pages say exists: commands, options, settings, links, experiments."""

from __future__ import annotations

import json
import re

import click
import pytest

from studyapp import __version__
from studyapp.cli.main import PLACES, studyapp
from studyapp.experiments import catalog
from studyapp.settings.values import PARSERS
from tests.conftest import ROOT

PAGES = [
    "README.md",
    "CHANGELOG.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")),
]
VARIABLES = {"STUDYAPP_DATA_DIR", "STUDYAPP_CONFIG", *(f"STUDYAPP_{name.upper()}" for name in PARSERS)}
FOREIGN = {
    "--pip-args", "--find-links", "--constraints", "--no-index", "--help", "--system-site-packages", "--backend",
    "--no-deps", "--force-reinstall",
}  # fmt: skip
"""Options that the pages name and no command declares: click's own, and those of other programs."""
MEASURED_ON_A_CPU = re.compile(r"everywhere|CPU cores|or a CPU|Linux")
"""How the table of experiments says that no GPU is needed for an answer."""


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def code(page: str) -> str:
    """Return what a page shows as code: fenced blocks (Markdown examples aside) and spans."""
    shown = text(page)
    fenced = re.compile(r"^ *(`{3,})(\w*)\n(.*?)^ *\1$", re.DOTALL | re.MULTILINE)
    blocks = [block for _, language, block in fenced.findall(shown) if language != "markdown"]
    return "\n".join([*blocks, *re.findall(r"`([^`\n]+)`", fenced.sub("", shown))])


def commands() -> dict[str, click.Command]:
    context = click.Context(studyapp)
    found = {name: studyapp.get_command(context, name) for name in PLACES}
    return {name: command for name, command in found.items() if command is not None}


def options(command: click.Command) -> set[str]:
    words = (word for p in command.params for word in (*p.opts, *p.secondary_opts))
    return {word for word in words if word.startswith("--")}


def anchors(page: str) -> set[str]:
    """Return the anchors that GitHub gives a page's headings."""
    heads = re.findall(r"^#+ (.+?)(?: *<!--.*)?$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    outside_code = re.sub(r"^(`{3,}).*?^\1$", "", text(page), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", outside_code)):
        if link.startswith(("https://", "experiment:")):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        assert target.is_file(), f"{page}: {link}"
        assert not anchor or anchor in anchors(str(target.resolve().relative_to(ROOT))), f"{page}: {link}"


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_of_a_page_exists(page: str) -> None:
    shown = code(page)
    known = set().union(*(options(command) for command in [studyapp, *commands().values()]))

    named = set(re.findall(r"(?:^|[^\w./-])studyapp ([a-z][a-z-]+)\b", shown, re.MULTILINE))
    assert named - set(PLACES) == set()
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", shown)) - known - FOREIGN == set()
    assert set(re.findall(r"\bSTUDYAPP_[A-Z_]+", text(page))) - VARIABLES == set()


def test_the_two_commands_of_the_readme_are_the_targets_of_the_makefile() -> None:
    targets = {
        word for line in re.findall(r"^\.PHONY: (.+)$", text("Makefile"), re.MULTILINE) for word in line.split()
    }

    assert set(re.findall(r"make ([a-z]+)", code("README.md"))) == {"study", "test"}
    assert targets == {"study", "test", "pictures"}


def test_every_command_and_option_has_its_place_in_the_page_of_commands() -> None:
    page = code("docs/commands.md")
    for name, command in commands().items():
        assert re.search(rf"studyapp {name}\b", page), name
        missing = {option for option in options(command) if not re.search(rf"{option}\b", page)}
        assert missing == set(), f"{name}: {missing}"


def test_every_command_and_option_explains_itself() -> None:
    for name, command in commands().items():
        assert command.get_short_help_str(), name
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, f"{name}: {parameter.name}"


def rows() -> dict[str, list[str]]:
    """Return the rows of the table of experiments, by id."""
    found = [
        line.strip("| ").split(" | ")
        for line in text("docs/experiments.md").splitlines()
        if line.startswith("| `")
    ]
    return {cells[0].strip("`"): cells[1:] for cells in found}


def test_the_table_of_experiments_is_the_catalogs() -> None:
    assert list(rows()) == list(catalog.ids())
    for id_, (claim, question, _) in rows().items():
        experiment = catalog.experiment(id_)
        assert (claim, question) == (experiment.claim, experiment.question)


def test_the_table_of_experiments_names_the_sibling_of_those_that_need_something() -> None:
    for id_, (_, _, where) in rows().items():
        experiment = catalog.experiment(id_)
        if experiment.needs - {"two cores"}:
            assert f"{experiment.sibling} shows the law" in where


def test_the_table_of_experiments_says_where_a_cpu_can_answer() -> None:
    said = {id_ for id_, cells in rows().items() if MEASURED_ON_A_CPU.search(cells[-1])}
    recordings = {id_: ROOT / "tests" / "recordings" / f"{id_}-calm.json" for id_ in catalog.ids()}
    outcomes = {id_: json.loads(path.read_bytes())["verdict"]["outcome"] for id_, path in recordings.items()}

    assert said == {id_ for id_, outcome in outcomes.items() if outcome != "cannot_test"}


def test_the_changelog_begins_with_this_version_and_names_every_experiment() -> None:
    page = text("CHANGELOG.md")

    assert re.findall(r"^## (.+)$", page, re.MULTILINE)[0] == __version__
    assert {id_ for id_ in catalog.ids() if not re.search(rf"\b{id_}\b", page)} == set()


def test_the_readme_is_short() -> None:
    assert len(text("README.md").splitlines()) <= 90
