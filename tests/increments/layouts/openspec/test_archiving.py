"""The `openspec` program archives changes, and what it takes after they were moved back."""

from __future__ import annotations

from dataclasses import replace
from shutil import copytree
from typing import TYPE_CHECKING

import pytest
from tests.increments.layouts.openspec.cli.program import Program
from tests.increments.layouts.openspec.making import (
    CHANGE,
    DELTA,
    LOGIN,
    NAME,
    OP,
    amendment,
    save,
    units,
    write,
)

from unlatch.increments.layouts.openspec import OPENSPEC
from unlatch.increments.layouts.openspec.changes import archive_command
from unlatch.increments.model.increment import NewTask
from unlatch.testing.layouts import texts_of

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.increments.model.unit import Unit

pytestmark = pytest.mark.servers


def archive(program: Program) -> Unit:
    """Archive the change; the unit that it becomes."""
    done = program.run(*archive_command(units(program.root)[NAME])[1:])
    assert done.returncode == 0, done.stdout + done.stderr
    archived = units(program.root)[NAME]
    assert archived.archived
    return archived


def move_back(program: Program) -> Unit:
    archived = units(program.root)[NAME]
    archived.place.rename(OPENSPEC.home(archived))
    return units(program.root)[NAME]


def advice(program: Program) -> tuple[str, ...]:
    unit = units(program.root)[NAME]
    return OPENSPEC.advice(program.root, unit, texts_of(OPENSPEC, unit))


@pytest.fixture(scope="session")
def _archived(argv: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Once for all tests: the program takes a second to start.
    program = Program(argv, tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home"))
    write(program.root, LOGIN)
    assert () == advice(program)
    archive(program)
    return program.root


@pytest.fixture
def archived(_archived: Path, program: Program) -> Program:
    """A project in which the program archived the change."""
    copytree(_archived, program.root, dirs_exist_ok=True)
    return program


def is_valid(program: Program) -> bool:
    done = program.run("validate", NAME, "--type", "change", "--strict", "--no-interactive")
    return done.returncode == 0


def test_an_archived_change_moves_back_and_is_archived_again(archived: Program) -> None:
    program = archived
    (before_moving,) = advice(program)
    back = move_back(program)
    assert is_valid(program)
    assert {NAME: (1, 1)} == program.counts()
    assert (before_moving,) == advice(program)
    assert "before you change it; openspec/specs/auth/spec.md already has it" in before_moving
    assert (program.root / CHANGE) == back.place
    archive(program)


def test_a_changed_requirement_is_archived_once_it_follows_the_advice(archived: Program) -> None:
    program = archived
    unit = move_back(program)
    save(unit, OPENSPEC.amend(texts_of(OPENSPEC, unit), amendment(NewTask("Export")))[0])
    delta = DELTA.replace("a password.", "a password or a passkey.")
    write(program.root, {f"{CHANGE}/specs/auth/spec.md": delta})
    (told,) = advice(program)
    assert told == (
        f"{CHANGE}/specs/auth/spec.md: move '### Requirement: Sign in' to '## MODIFIED "
        "Requirements' before `openspec archive`; openspec/specs/auth/spec.md already has it"
    )
    failed = program.run(*archive_command(unit)[1:])
    assert 'ADDED failed for header "### Requirement: Sign in"' in failed.stdout + failed.stderr
    assert not units(program.root)[NAME].archived
    modified = delta.replace("## ADDED", "## MODIFIED")
    write(program.root, {f"{CHANGE}/specs/auth/spec.md": modified})
    assert () == advice(program)
    again = archive(program)
    merged = (program.root / "openspec/specs/auth/spec.md").read_text(encoding="utf-8")
    assert "a passkey" in merged
    assert OP in texts_of(OPENSPEC, again)["tasks.md"]


@pytest.mark.parametrize("name", [pytest.param("sign in", marks=pytest.mark.sweep), "SIGN  IN"])
def test_another_spelling_of_a_requirement_is_named(archived: Program, name: str) -> None:
    program = archived
    unit = move_back(program)
    write(program.root, {f"{CHANGE}/specs/auth/spec.md": DELTA.replace("Sign in\n", f"{name}\n")})
    (told,) = advice(program)
    assert told.endswith("already has it, spelled 'Sign in'")
    assert program.run(*archive_command(unit)[1:]).returncode != 0


def test_a_change_with_its_own_date_is_archived_under_its_name(program: Program) -> None:
    name = "2026-01-24-add-login"
    write(program.root, {file.replace(NAME, name): text for file, text in LOGIN.items()})
    unit = units(program.root)[name]
    assert program.run(*archive_command(unit)[1:]).returncode == 0
    assert [NAME] == list(units(program.root))
    (program.root / ".unlatch/increments" / name).mkdir(parents=True)
    archived = units(program.root)[name]
    assert OPENSPEC.home(archived) == unit.place
    assert replace(archived, place=unit.place, archived=False) == unit
