"""README and docs are true: what they show is run here, against the sandbox.

A ```console block shows a terminal: `$ command` lines and below each what it prints, compared with
`...` for what may be anything; a command that prints something and shows nothing is only run. A
command has to succeed unless `$ echo $?` follows and shows its exit code. A ```sh block holds
commands alone, a ```toml block that begins with a path is written there first, and the `- run:`
lines of a ```yaml block are run, too. Each page has a shell of its own in a scratch project.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

import pytest
from tests.docs import terminal
from tests.docs.pages import (
    ROOT,
    START,
    Block,
    anchors,
    linked_pages,
    name_of,
    pages,
    script,
)
from tests.docs.stage import Stage
from tests.docs.transcript import ASK_EXIT_CODE, Step, difference, steps

from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Commands that the test does not run, with the reason.
NOT_RUN = {
    "pipx install 'unlatch[all]'": "the unlatch that is tested is installed already",
    "make demo": "is `unlatch demo` in an environment that it makes first; README runs that",
    "make test": "is what runs this test",
}
# The direction before a ```text block that quotes the latest comment.
QUOTE = "what GitHub shows"
# Folders of the machine that a page was written on.
_MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users)/\w")
_FILE = re.compile(r"# (?P<path>\S+\.\w+)\n")
_LANGUAGES = {"console", "sh", "toml", "json", "yaml", "python", "text"}
_LOOKS_RUN = re.compile(r"^\$ ", re.MULTILINE)
_RUN = re.compile(r"^\s*- run: (?P<command>.+)$", re.MULTILINE)

every_page = pytest.mark.parametrize("page", pages(), ids=name_of)


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prepared") / "widgets"


@pytest.fixture
def stage(tmp_path: Path, box: Sandbox, prepared: Path) -> Stage:
    return Stage(tmp_path, box, prepared)


@every_page
def test_every_command_does_what_the_page_shows(page: Path, stage: Stage) -> None:
    quoted = False
    for part in script(page):
        if isinstance(part, Block):
            play(part, stage, page, quoted=quoted)
            quoted = False
        elif part.words == QUOTE:
            quoted = True
        else:
            stage.direct(part.words)


def play(block: Block, stage: Stage, page: Path, *, quoted: bool) -> None:
    where = f"{name_of(page)}, line {block.line}"
    assert block.language in _LANGUAGES, f"{where}: a fence of an unknown kind"
    if block.language == "console":
        run_all(steps(block.text), stage, where)
    elif block.language == "sh":
        run_all(commands(block.text), stage, where)
    elif block.language == "yaml":
        found = [Step(match["command"], ()) for match in _RUN.finditer(block.text)]
        run_all(found, stage, where)
    elif block.language == "toml":
        use_configuration(block, stage, where)
    elif block.language == "json":
        json.loads(block.text)
    elif quoted:
        differs = difference(block.text.splitlines(), stage.comment_on_github)
        assert differs is None, f"{where}\n{differs}"
    else:
        assert not _LOOKS_RUN.search(block.text), f"{where}: a command that nobody runs"


def commands(text: str) -> list[Step]:
    lines = text.replace("\\\n", "").splitlines()
    return [Step(line, ()) for line in lines if line and not line.startswith("#")]


def run_all(shown: list[Step], stage: Stage, where: str) -> None:
    code = 0
    for step, after in zip(shown, [*shown, None][1:], strict=True):
        if step.command in NOT_RUN:
            continue
        code, printed = terminal.run(step, cwd=stage.root, environ=stage.environ, last_code=code)
        if after is None or after.command != ASK_EXIT_CODE:
            assert (where, step.command, 0) == (where, step.command, code), printed
        printed = stage.told_as_outside(printed)
        differs = difference(step.shown, printed) if step.shown else None
        assert differs is None, f"{where}: {step.command}\n{differs}"


def use_configuration(block: Block, stage: Stage, where: str) -> None:
    match = _FILE.match(block.text)
    if match is None:
        tomllib.loads(block.text)
        return
    mistakes = stage.mistakes(block.text) if match["path"] == stage.config else ()
    assert (where, ()) == (where, mistakes)
    stage.write(match["path"], block.text)


def test_what_is_not_run_is_shown_somewhere() -> None:
    shown = {
        step.command
        for page in pages()
        for part in script(page)
        if isinstance(part, Block) and part.language in ("console", "sh", "yaml")
        for step in (
            steps(part.text)
            if part.language == "console"
            else [*commands(part.text), *(Step(m["command"], ()) for m in _RUN.finditer(part.text))]
        )
    }
    assert set() == NOT_RUN.keys() - shown


def test_what_make_is_said_to_do_it_does() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {command.removeprefix("make ") for command in NOT_RUN if command.startswith("make ")}
    assert set() == named - targets


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    for link, target, part in linked_pages(page):
        assert target.exists(), f"{name_of(page)} links to {link}"
        assert not part or part in anchors(target), f"{name_of(page)} links to {link}"


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = {START}, [START]
    while waiting:
        for _, target, _ in linked_pages(waiting.pop()):
            if target not in reached and target.suffix == ".md":
                reached.add(target)
                waiting.append(target)
    assert set() == set(pages()) - reached


@every_page
def test_no_page_names_a_place_that_readers_do_not_have(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert set() == {line for line in lines if _MACHINE_PATH.search(line)}


def test_the_changelog_has_a_place_for_what_is_not_released() -> None:
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
