"""Set up a project without changing existing files."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from unlatch.increments.files.layout import Layout, layout_at
from unlatch.project.git.run import ask_git
from unlatch.project.git.setup import check_git_folder
from unlatch.spi import Manifest
from unlatch.worklog.disk.atomic import replace_file, writing
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import exists, make_folders

_TEMPLATE = """\
# Configuration of unlatch. `unlatch doctor --settings` lists all settings.
# Do not put tokens here: set environment variables, or use `unlatch auth login`.

# comment = "full"            # what is posted on an item: full, short or none

# [labels]
# reopened = "reopened"
# completed = "completed"
"""


def set_up(root: Path, manifests: Iterable[Manifest]) -> tuple[Layout, list[Path]]:
    """Make `.unlatch` with a configuration to fill in, and a folder for increments.

    A project with `.specweave/increments` keeps its increments there. The table of the tracker
    that git's remote `origin` points to is filled in; the others are commented out. Raises
    StoreError (`not-writable`).

    Returns:
        The project's layout, and the files and folders that were made.
    """
    layout = layout_at(root.absolute())
    made: list[Path] = []
    for folder in (layout.home, layout.increments):
        if not exists(folder):
            with writing(folder):
                make_folders(folder)
            made.append(folder)
    if not exists(layout.config):
        tables = _tables(layout.root, manifests)
        replace_file(layout.config, "\n".join((_TEMPLATE, *filter(None, tables))).encode())
        made.append(layout.config)
    return layout, made


def _tables(root: Path, manifests: Iterable[Manifest]) -> Iterator[str]:
    remote = ""
    with suppress(UnsafePath):  # the repository is not the project's
        check_git_folder(root)
        remote = ask_git(root, "remote", "get-url", "origin") or ""
    for manifest in manifests:
        filled = manifest.from_remote(remote) if manifest.from_remote else None
        yield filled or "".join(f"# {line}\n" for line in manifest.example.splitlines())
