"""What the commands of one machine have in common: the file, and the folders of its clones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import together
from unlatch.errors import StoreError, UsageError
from unlatch.project.registry import Registry
from unlatch.transport.account import make_key, read_key
from unlatch.worklog.digests import sha256
from unlatch.worklog.disk import system
from unlatch.worklog.disk.user_files import make_private, requests_folder
from unlatch_fleet.budget import MachineRows
from unlatch_fleet.fleet_file import Fleet, Repository, read_fleet
from unlatch_fleet.local import Machine
from unlatch_fleet.tokens import Tokens
from unlatch_fleet.unit import UNLATCH

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context

_FOLDER = "fleet"

FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
_JOBS = click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    metavar="N",
    help="Number of repositories at the same time.",
)
_CLONES = click.option(
    "--clones",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Folder for the clones; by default in your folder for local state.",
)


unit_options = together(_JOBS, _CLONES)


def open_machine(
    context: Context, file: Path, clones: Path | None, *, is_dry: bool = False
) -> Machine:
    """This machine with the repositories of a file.

    Raises:
        UsageError: `fleet-unreadable`, `platform-unsupported`.
        MistakesError: `fleet-invalid`.
        StoreError: `not-writable`.
    """
    if not system.LOCKS_FOLDERS:
        message, hint = "the fleet needs Linux or macOS", "run it in WSL"
        raise UsageError("platform-unsupported", message, hint=hint)
    registry = Registry()
    fleet = read_fleet(file, registry.targets)
    requests, folder = own_folders(clones)
    key = read_key(requests) or make_key(requests)
    if key is None:
        raise _not_writable(requests, "no file can be made in it")
    tokens = Tokens(fleet.groups, os.environ, registry)
    return Machine(
        fleet,
        tokens,
        registry,
        folder,
        MachineRows(requests),
        key,
        os.environ,
        max_wait=context.options.max_wait,
        is_dry=is_dry,
        program=UNLATCH,
    )


def own_folders(clones: Path | None) -> tuple[Path, Path]:
    requests = requests_folder()
    if requests is None:
        raise UsageError("not-writable", "this user has no folder for local state", hint="set HOME")
    folder = (clones or requests.parent / _FOLDER).absolute()
    try:
        make_private(requests)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(folder, error.strerror or str(error)) from error
    return requests, folder


def _not_writable(folder: Path, why: str) -> StoreError:
    hint = "name another folder with --clones"
    return StoreError(
        "not-writable", f"the folder cannot be used: {why}", where=str(folder), hint=hint
    )


def journal_file(folder: Path, file: Path) -> Path:
    """The file with the results of a command on a list of repositories."""
    return folder / f"{sha256(os.fsencode(file.resolve()))[:32]}.jsonl"


def named(fleet: Fleet) -> dict[str, Repository]:
    """The repositories by their keys."""
    return {repository.address.key: repository for repository in fleet.repositories}
