"""A real sshd on loopback, with a key and a port of its own, for tests of another machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with closing(socket.socket()) as end:
        end.bind(("127.0.0.1", 0))
        return int(end.getsockname()[1])


def new_key(path: Path) -> Path:
    """Make a key pair without a passphrase and return the private half's path."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True, timeout=60)
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """An sshd of our own on a free port; its folder and port."""
    if SSHD is None or shutil.which("ssh") is None:
        pytest.skip("needs sshd and ssh (Debian: openssh-server, openssh-client)")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where sshd, run by root, gives up its rights
    place, port = tmp_path_factory.mktemp("sshd"), free_port()
    new_key(place / "host")
    shutil.copy(new_key(place / "user").with_suffix(".pub"), place / "allowed")
    settings = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": place / "host",
        "AuthorizedKeysFile": place / "allowed",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
    }
    (place / "sshd_config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    (place / "known").write_text(f"[127.0.0.1]:{port} {(place / 'host.pub').read_text()}")
    log = (place / "log").open("w")
    daemon = subprocess.Popen([SSHD, "-D", "-e", "-f", str(place / "sshd_config")], stderr=log)
    try:
        _until_it_listens(port, daemon)
        yield place, port
    finally:
        daemon.terminate()
        daemon.wait(timeout=20)
        log.close()


def _until_it_listens(port: int, daemon: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and daemon.poll() is None:
        with closing(socket.socket()) as end:
            if end.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.skip("sshd does not start here")


def client_config(server: tuple[Path, int], path: Path) -> Path:
    """Write the ssh configuration that knows the server as `box`; return its path."""
    place, port = server
    path.write_text(
        f"Host box\n HostName 127.0.0.1\n Port {port}\n IdentityFile {place / 'user'}\n IdentitiesOnly yes\n"
        f" UserKnownHostsFile {place / 'known'}\n GlobalKnownHostsFile /dev/null\n"
    )
    return path
