"""Set up a project without changing existing files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from unlatch.errors import PluginBroken, UsageError
from unlatch.increments.files.paths import METADATA, ProjectPaths, check_owner, find_paths, paths_at
from unlatch.increments.files.work.files import work_files
from unlatch.increments.layouts.folders import has, text_of
from unlatch.increments.layouts.installed import installed_layouts
from unlatch.increments.layouts.native import OWN, UNLATCH
from unlatch.increments.model.status import Status, read_status
from unlatch.increments.model.unit import Unit
from unlatch.project.git.run import ask_git
from unlatch.project.git.setup import check_git_folder
from unlatch.project.plugins.loading import table_for
from unlatch.spi import Manifest
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import replace_file, writing
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import add_root, exists, make_folders, read_file
from unlatch.worklog.json_text import json_object

_TEMPLATE = """\
# Configuration of unlatch. `unlatch doctor --settings` lists all settings.
# Do not put tokens here: set environment variables, or use `unlatch auth login`.

# comment = "full"            # what is posted on an item: full, short or none

# [labels]
# reopened = "reopened"
# completed = "completed"
"""


# The folders of tools whose work no layout reads.
_UNREADABLE = {
    "Agent OS": ("agent-os", ".agent-os"),
    "BMAD": ("_bmad", "_bmad-output", ".bmad-core"),
    "Task Master": (".taskmaster",),
}


@dataclass(frozen=True, slots=True)
class FoundTool:
    """Another tool whose marker is in the project.

    Args:
        name: of its layout; None if there is none, so that nothing of the tool can be read.
        units: the number of units by the status that their files show.
    """

    name: str | None
    title: str
    units: Mapping[Status, int]

    def is_read(self, paths: ProjectPaths) -> bool:
        """Whether its units are increments of a project."""
        if self.name in OWN:
            return paths.increments == paths.root / f".{self.name}" / "increments"
        return self.name in paths.layouts


def find_outer(root: Path) -> Path | None:
    """The folder of the project that `root` is in, if there is one."""
    with suppress(UsageError):
        return find_paths(root.parent).root
    return None


def find_tools(root: Path) -> list[FoundTool]:
    """The other tools whose markers are in `root`; those that can be read first."""
    add_root(root)
    layouts = installed_layouts()[0]
    others = (layout for name, layout in layouts.items() if name != UNLATCH.name)
    tools = [
        FoundTool(layout.name, layout.title, Counter(map(_status, layout.units(root))))
        for layout in others
        if layout.detect(root)
    ]
    unread = (
        title
        for title, folders in _UNREADABLE.items()
        if any(has(root / folder) for folder in folders)
    )
    return [*tools, *(FoundTool(None, title, Counter()) for title in unread)]


def _status(unit: Unit) -> Status:
    if unit.layout in OWN:
        return _recorded_status(unit.place / METADATA)
    evidence = work_files(unit.place, unit).evidence()
    return evidence.status if evidence else Status.PLANNING


def _recorded_status(metadata: Path) -> Status:
    return read_status(str(json_object(text_of(metadata)).get("status"))) or Status.PLANNING


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
    changed: list[Path] = []
    for folder in (paths.home, paths.increments):
        with writing(folder):
            if not exists(folder):
                make_folders(folder)
                changed.append(folder)
    with writing(paths.config):
        if not exists(paths.config):
            tables = _tables(paths.root, manifests)
            replace_file(paths.config, "\n".join((_TEMPLATE, *filter(None, tables))).encode())
            changed.append(paths.config)
        if _add_layouts(paths.config, [*layouts]) and paths.config not in changed:
            changed.append(paths.config)
    return paths_at(root), changed


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
