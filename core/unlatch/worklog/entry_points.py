"""Entry points of installed distributions, without the 40 ms of importlib.metadata.

`unlatch --help` lists the installed trackers. By `python -m benchmarks`, importlib.metadata (with
email, zipfile and csv) takes as long as three bare interpreters. The format is that of
https://packaging.python.org/en/latest/specifications/entry-points/.
"""

import os
import sys
from collections.abc import Iterator

from unlatch.worklog.disk.system import BINARY

# The group of the trackers' manifests.
PLUGINS = "unlatch.plugins"
# The group of the kinds of work that packages add.
KINDS = "unlatch.kinds"

# Our distribution.
_OWN = "unlatch"

# Bytes at a time; few distributions have as much.
_MOST = 1 << 16
_INSTALLED = (".dist-info", ".egg-info")


def entry_points(group: str) -> dict[str, str]:
    """The entry points of a group: "module:object" by name, the first on sys.path first."""
    return {name: target for name, ((target, _), *_) in installed_points(group).items()}


def installed_points(group: str) -> dict[str, list[tuple[str, str]]]:
    """The same, each with the folder of its distribution, and those of all that have the name.

    Of a distribution that is there twice, the first on sys.path counts, as for an import. No other
    distribution has a name of unlatch's own.
    """
    by_name: dict[str, dict[str, tuple[str, str]]] = {}
    for folder, name, target in _installed(group):
        by_name.setdefault(name, {}).setdefault(_project(folder), (target, folder))
    return {
        name: [points[_OWN]] if _OWN in points else [*points.values()]
        for name, points in sorted(by_name.items())
    }


def is_own(folder: str) -> bool:
    """Whether a distribution's folder is that of unlatch."""
    return _project(folder) == _OWN


def _project(folder: str) -> str:
    """The name of a distribution as indexes compare it, except for repeated signs (PEP 503)."""
    return distribution_in(folder).partition(" ")[0].replace(".", "-").lower()


def distribution_of(group: str, name: str) -> str | None:
    """The distribution of an entry point, with its version if known: "unlatch-redmine 1.2"."""
    points = installed_points(group).get(name)
    return distribution_in(points[0][1]) if points else None


def distribution_in(folder: str) -> str:
    """The distribution with this folder, and its version if known.

    Its name has both, escaped, as of
    https://packaging.python.org/en/latest/specifications/binary-distribution-format/.
    """
    distribution, _, version = folder.rpartition(".")[0].partition("-")
    return f"{distribution.replace('_', '-')} {version.partition('-')[0]}".rstrip()


def _installed(group: str) -> Iterator[tuple[str, str, str]]:
    """The folder, name and target of each entry point of a group."""
    for folder in sys.path:
        yield from _installed_in(folder or ".", group)


def _installed_in(folder: str, group: str) -> Iterator[tuple[str, str, str]]:
    try:
        names = os.listdir(folder)  # noqa: PTH208  (pathlib is not loaded yet)
    except OSError:
        return  # sys.path lists missing folders, and archives
    for installed in sorted(name for name in names if name.endswith(_INSTALLED)):
        path = f"{folder}{os.sep}{installed}{os.sep}entry_points.txt"
        # Most have none, and an error takes ten times as long.
        if not os.access(path, os.R_OK):
            continue
        for name, target in _read(path, group):
            yield installed, name, target


def _content(path: str) -> bytes:
    """The content of one of hundreds of files; `open` takes seven system calls, not three."""
    opened = os.open(path, os.O_RDONLY | BINARY)
    try:
        content = part = os.read(opened, _MOST)
        while len(part) == _MOST:
            part = os.read(opened, _MOST)
            content += part
    finally:
        os.close(opened)
    return content


def _read(path: str, group: str) -> Iterator[tuple[str, str]]:
    try:
        content = _content(path)
        if group.encode() not in content:
            return
        lines = content.decode()
    except (OSError, UnicodeDecodeError):
        return
    section = ""
    for line in map(str.strip, lines.splitlines()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == group and "=" in line and not line.startswith(("#", ";")):
            name, _, target = line.partition("=")
            yield name.strip(), target.partition("[")[0].strip()
