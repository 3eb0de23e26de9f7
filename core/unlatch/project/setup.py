"""Set up a project without changing existing files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from unlatch.errors import PluginBroken, UsageError
from unlatch.increments.files.paths import ProjectPaths, check_owner, find_paths, paths_at
from unlatch.increments.files.work.files import work_files
from unlatch.increments.layouts.installed import installed_layouts
from unlatch.increments.layouts.native import OWN
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Unit
from unlatch.project.git.run import ask_git
from unlatch.project.git.setup import check_git_folder
from unlatch.project.plugins.loading import table_for
from unlatch.spi import Manifest
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import replace_file, writing
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import add_root, exists, make_folders, read_file

_TEMPLATE = """\
# Configuration of unlatch. `unlatch doctor --settings` lists all settings.
# Do not put tokens here: set environment variables, or use `unlatch auth login`.

# comment = "full"            # what is posted on an item: full, short or none

# [labels]
# reopened = "reopened"
# completed = "completed"
"""


@dataclass(frozen=True, slots=True)
class FoundLayout:
    """A layout whose marker is in the project.

    Args:
        units: the number of units by the status that their files show.
    """

    name: str
    title: str
    units: Mapping[Status, int]


def find_outer(root: Path) -> Path | None:
    """The folder of the project that `root` is in, if there is one."""
    with suppress(UsageError):
        return find_paths(root.parent).root
    return None


def find_layouts(root: Path) -> list[FoundLayout]:
    """The layouts of other tools whose markers are in `root`."""
    add_root(root)
    found = []
    for name, layout in installed_layouts()[0].items():
        if name not in OWN and layout.detect(root):
            units = Counter(map(_status, layout.units(root)))
            found.append(FoundLayout(name, layout.title, units))
    return found


def _status(unit: Unit) -> Status:
    evidence = work_files(unit.place, unit).evidence()
    return evidence.status if evidence else Status.PLANNING


def set_up(
    root: Path, manifests: Iterable[Manifest], layouts: Iterable[str] = ()
) -> tuple[ProjectPaths, list[Path]]:
    """Make `.unlatch` with a configuration to fill in, and a folder for increments.

    A project with `.specweave/increments` keeps its increments there. The table of the tracker
    that git's remote `origin` points to is filled in; the others are commented out. The layouts are
    written into a configuration that names none. Raises StoreError (`not-writable`), and as
    `check_owner`.

    Returns:
        The project's paths, and the files and folders that were made or changed.
    """
    root = root.absolute()
    check_owner(root)
    paths = paths_at(root)
    made: list[Path] = []
    for folder in (paths.home, paths.increments):
        with writing(folder):
            if not exists(folder):
                make_folders(folder)
                made.append(folder)
    with writing(paths.config):
        if not exists(paths.config):
            tables = _tables(paths.root, manifests)
            replace_file(paths.config, "\n".join((_TEMPLATE, *filter(None, tables))).encode())
            made.append(paths.config)
        if _add_layouts(paths.config, [*layouts]) and paths.config not in made:
            made.append(paths.config)
    return paths_at(root), made


def _add_layouts(config: Path, names: list[str]) -> bool:
    before = read_file(config)
    if not names or re.search(rb"^[ \t]*\[[ \t]*layouts[ \t]*\]", before, re.MULTILINE):
        return False
    listed = ", ".join(f'"{name}"' for name in names)
    table = f"# The tools whose folders hold this project's work.\n[layouts]\nuse = [{listed}]\n"
    joint = b"" if before.endswith(b"\n") else b"\n"
    replace_file(config, before + joint + b"\n" + table.encode())
    return True


def _tables(root: Path, manifests: Iterable[Manifest]) -> Iterator[str]:
    remote = ""
    with suppress(UnsafePath):  # the repository is not the project's
        check_git_folder(root)
        remote = ask_git(root, "remote", "get-url", "origin") or ""
    for manifest in manifests:
        filled = None
        with suppress(PluginBroken):  # doctor reports it
            filled = table_for(manifest, remote)
        yield filled or "".join(f"# {line}\n" for line in manifest.example.splitlines())
