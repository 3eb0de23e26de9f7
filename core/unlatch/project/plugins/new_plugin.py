"""Write the skeleton of a tracker plugin as a distribution of its own."""

import os
import re
import shutil
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path
from shlex import quote
from string import Template

from unlatch import __version__
from unlatch.errors import UsageError
from unlatch.spi import SPI_VERSION
from unlatch.worklog.disk.atomic import UNFINISHED, move_folder, replace_file, writing

_NAME = re.compile(r"[a-z](?:[a-z0-9_]*[a-z0-9])?")
_LONGEST = 30
# Below template/, where each has the suffix .tmpl.
_FILES = (
    "README.md",
    "pyproject.toml",
    "tests/test_conformance.py",
    "unlatch_NAME/__init__.py",
    "unlatch_NAME/plugin.py",
    "unlatch_NAME/py.typed",
    "unlatch_NAME/settings.py",
)


def make_plugin(name: str, folder: Path, *, taken: Collection[str]) -> tuple[Path, list[str]]:
    """Write `folder`/unlatch-`name`, complete or not at all; returns it and its files.

    UsageError: the name is invalid or among `taken`, or the folder exists. StoreError: as
    `replace_file`.
    """
    _check_name(name, taken)
    plugin_folder = folder.absolute() / f"unlatch-{name}"
    if os.path.lexists(plugin_folder):
        hint = "choose another name, or another place with --folder DIR"
        raise UsageError(
            "folder-exists", f"{plugin_folder.name} exists", where=str(plugin_folder), hint=hint
        )
    texts = {path.replace("NAME", name): _rendered(path, name) for path in _FILES}
    # A unique name below the same folder, so that a crash leaves no half of a plugin.
    unfinished = plugin_folder.with_name(f".{plugin_folder.name}.{os.urandom(6).hex()}{UNFINISHED}")
    try:
        for path, text in texts.items():
            with writing(unfinished / path):
                (unfinished / path).parent.mkdir(parents=True, exist_ok=True)
            replace_file(unfinished / path, text.encode())
        move_folder(unfinished, plugin_folder)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return plugin_folder, sorted(texts)


def _check_name(name: str, taken: Collection[str]) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        message = f"invalid name {name!r}: use up to {_LONGEST} lower-case letters, digits and _"
        proposal = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")[:_LONGEST]
        hint = f"unlatch plugins new {quote(proposal.strip('_') or 'mytracker')}"
        raise UsageError("plugin-name-invalid", message, hint=hint)
    if name in taken:
        message = f"{name!r} is the name of an installed tracker or a command"
        hint = f"choose another name, such as {name}_next"
        raise UsageError("plugin-name-taken", message, hint=hint)


def _rendered(path: str, name: str) -> str:
    template = files("unlatch.project.plugins").joinpath(f"template/{path}.tmpl")
    return Template(template.read_text(encoding="utf-8")).substitute(
        name=name,
        upper=name.upper(),
        title="".join(part.capitalize() for part in name.split("_")),
        host=name.replace("_", "-"),
        version=__version__,
        spi_version=SPI_VERSION,
    )
