"""The store's place on disk: private modes whatever the umask, and which file system it lies on."""

from __future__ import annotations

import os
import re
from pathlib import Path

from studyapp.core.errors import StoreError

FOLDER_MODE = 0o700
FILE_MODE = 0o600

NETWORK_TYPES = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "beegfs_nodev", "ceph", "glusterfs",
        "orangefs",
        "pvfs2", "panfs", "wekafs", "afs", "9p", "virtiofs", "ncpfs", "coda", "davfs",
        "osxfs", "prl_fs", "vboxsf", "vmhgfs",
    }
)  # fmt: skip
"""File systems shared between hosts, where WAL's shared memory does not work: names of /proc/filesystems.

Every "fuse." type (sshfs, gcsfuse, rclone, ...) counts as one too.
"""

_MOUNTS = Path("/proc/self/mountinfo")


def make_private(path: Path) -> None:
    """Create the store's folder (mode 700) and an empty file (mode 600) where they are missing.

    What exists already keeps its mode.

    Raises:
        StoreError: If they cannot be created.
    """
    try:
        _make_folder(path.parent)
        make_private_file(path)
    except OSError as error:
        raise StoreError(
            f"The store {path} cannot be created: {error.strerror or error}.",
            "Name a folder you may write in with --data-dir.",
        ) from error


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    try:
        folder.mkdir(mode=FOLDER_MODE)
    except FileExistsError:
        if folder.is_dir():
            return  # another window was faster
        raise
    folder.chmod(FOLDER_MODE)  # a umask of 277 would have locked us out


def make_private_file(path: Path) -> None:
    """Create an empty file with mode 600 unless it exists.

    Raises:
        OSError: If it cannot be created.
    """
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE)
    except FileExistsError:
        return
    try:
        os.fchmod(descriptor, FILE_MODE)
    finally:
        os.close(descriptor)


def tighten(path: Path) -> None:
    """Take the store's file from group and others; a file that is not ours stays as it is."""
    try:
        if path.stat().st_mode & 0o077:
            path.chmod(FILE_MODE)
    except OSError:
        return


def file_system(path: Path, mounts: Path = _MOUNTS) -> str:
    """Return the type of the file system that holds a path ("ext4", "nfs4"), "" where the system does not say.

    Args:
        path: An existing file or folder.
        mounts: Linux' table of mounts.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    target = str(path.resolve())
    best, found = -1, ""
    for line in lines:
        point, kind = _mount(line)
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if point and inside and len(point) >= best:  # a later mount covers an earlier one on the same point
            best, found = len(point), kind
    return found


def _mount(line: str) -> tuple[str, str]:
    left, _, right = line.partition(" - ")
    fields = left.split(" ")
    if len(fields) < 5 or not right:
        return "", ""
    point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])  # \040 is a space
    return point, right.split(" ")[0]


def is_network(kind: str) -> bool:
    """Return whether a file system type is shared between hosts (or a FUSE mount nobody can vouch for)."""
    return kind in NETWORK_TYPES or kind.startswith("fuse.")
