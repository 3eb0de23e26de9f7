"""The documents of `--json` stay as they were recorded, byte for byte.

Where one is meant to change, record the corpus anew (`python -m tests.cli.golden.recording`), and
look at what `git diff` shows.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import click
from tests.cli.golden.recording import commands, record, recorded

from unlatch.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from unlatch_sandbox import Sandbox


def test_each_document_is_as_recorded(
    box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_database: str
) -> None:
    actual_documents = record(box, tmp_path, monkeypatch, database=empty_database)
    for actual, expected in zip_longest(actual_documents, recorded()):
        assert actual == expected


def test_each_command_with_a_document_is_recorded() -> None:
    script = [f"{line.removeprefix('! ').removeprefix('~ ')} " for line in commands()]
    documented = set(_with_documents(app, click.Context(app), ""))
    assert [path for path in documented if not any(line.startswith(path) for line in script)] == []


def _with_documents(command: click.Command, context: click.Context, path: str) -> Iterator[str]:
    """The words of each command that has `--json`, each followed by a space."""
    if path and any("--json" in option.opts for option in command.get_params(context)):
        yield path
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _with_documents(inner, context, f"{path}{name} ")
