"""The commands in README and docs run here against the sandbox and print the output on the page.

- A ```console block contains `$ command` lines with their output. In the output `...` matches any
  text; a command without output is only run. A command must succeed unless `$ echo $?` follows with
  its exit code.
- A ```sh block contains only commands, and of a ```yaml block the `- run:` lines are run.
- A ```toml, ```markdown or ```python block that starts with a path is written to that file.

Each page has its own scratch project.
"""

import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.docs import terminal
from tests.docs.pages import (
    ROOT,
    START,
    Block,
    anchors,
    commands_on,
    linked_pages,
    name_of,
    pages,
    pages_of_each_command,
    script,
)
from tests.docs.stage import Stage
from tests.docs.transcript import ASK_EXIT_CODE, Step, difference, steps

from unlatch_sandbox import Sandbox
from unlatch_sessions.document import read_document

# Commands that the test does not run, with the reason.
NOT_RUN = {
    "pipx install 'unlatch[all]'": "the unlatch that is tested is installed already",
    "pipx install 'unlatch[all] @ git+https://github.com/OWNER/unlatch'": "as above",
    "pipx install '.[all]'": "make wheel-check runs it",
    "unlatch sandbox --seed --port 8021": "the stage has a sandbox with the same items",
    "make demo": "is `unlatch demo` in an environment that it makes first; docs/start.md runs that",
    "make test": "runs this test",
    "make dist release-check": "installs into many environments from the package index",
}
# The direction before a ```text block that quotes the latest comment.
QUOTE = "what GitHub shows"
# Folders of a developer's machine.
_MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users)/\w")
_FILE = re.compile(r"(?:#|<!--) (?P<path>\S+\.\w+)(?: -->)?\n")
_LANGUAGES = {"console", "sh", "toml", "json", "yaml", "python", "text", "markdown"}
_READERS: dict[str, Callable[[str], object]] = {"json": json.loads, "markdown": read_document}
_WRITTEN = {"markdown", "python"}
_LOOKS_RUN = re.compile(r"^\$ ", re.MULTILINE)
_RUN = re.compile(r"^\s*- run: (?P<command>.+)$", re.MULTILINE)


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


# A guide whose commands other guides run, too, is left to `make torture`.
PLAYED = pages_of_each_command(pages())


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name_of(page), marks=() if is_played else pytest.mark.sweep)
        for page in pages()
        for is_played in [page in PLAYED or not commands_on(page)]
        if "\n```" in page.read_text(encoding="utf-8")
    ],
)
def test_every_command_does_what_the_page_shows(page: Path, stage: Stage) -> None:
    if shutil.which("curl") is None and "curl -s" in page.read_text(encoding="utf-8"):
        pytest.skip("curl is not installed")
    problem = next(problems(page, stage), None)
    assert problem is None, problem


def problems(page: Path, stage: Stage) -> Iterator[str]:
    """Play a page; each difference between the page and the result."""
    quoted = False
    for part in script(page):
        if isinstance(part, Block):
            found = () if write(part, stage) else play(part, stage, quoted=quoted)
            for problem in found:
                yield f"{name_of(page)}, line {part.line}: {problem}"
            quoted = False
        elif part.words == QUOTE:
            quoted = True
        else:
            stage.direct(part.words)


def write(block: Block, stage: Stage) -> bool:
    """Write a block that is a file of the project; whether it is one."""
    match = _FILE.match(block.text) if block.language in _WRITTEN else None
    if match:
        stage.write(match["path"], block.text)
    return match is not None


def play(block: Block, stage: Stage, *, quoted: bool) -> Iterator[str]:
    if block.language not in _LANGUAGES:
        yield "a fence of an unknown kind"
    elif block.language == "console":
        yield from run_all(steps(block.text), stage)
    elif block.language == "sh":
        yield from run_all(commands(block.text), stage)
    elif block.language == "yaml":
        found = [Step(match["command"], ()) for match in _RUN.finditer(block.text)]
        yield from run_all(found, stage)
    elif block.language == "toml":
        yield from use_configuration(block, stage)
    elif block.language in _READERS:
        _READERS[block.language](block.text)
    elif quoted:
        if differs := difference(block.text.splitlines(), stage.comment_on_github):
            yield differs
    elif _LOOKS_RUN.search(block.text):
        yield "a command that is not run"


def commands(text: str) -> list[Step]:
    lines = text.replace("\\\n", "").splitlines()
    return [Step(line, ()) for line in lines if line and not line.startswith("#")]


def run_all(shown: list[Step], stage: Stage) -> Iterator[str]:
    code = 0
    for step, after in zip(shown, [*shown, None][1:], strict=True):
        if step.command in NOT_RUN:
            continue
        typed = replace(step, command=stage.with_own_addresses(step.command))
        code, printed = terminal.run(typed, cwd=stage.root, environ=stage.environ, last_code=code)
        # Ctrl-C also ends the shell around the command.
        if code and not step.is_interrupted and (after is None or after.command != ASK_EXIT_CODE):
            yield f"{step.command} failed with exit code {code}\n{printed}"
        printed = stage.with_shown_addresses(printed)
        if step.shown and (differs := difference(step.shown, printed)):
            yield f"{step.command}\n{differs}"


def use_configuration(block: Block, stage: Stage) -> Iterator[str]:
    match = _FILE.match(block.text)
    if match is None:
        tomllib.loads(block.text)
        return
    if match["path"] == stage.config:
        yield from stage.mistakes(block.text)
    stage.write(match["path"], block.text)


def test_commands_that_are_not_run_are_on_a_page() -> None:
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


def test_make_targets_on_the_pages_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    made = [command.split()[1:] for command in NOT_RUN if command.startswith("make ")]
    named = {target for targets in made for target in targets}
    assert set() == named - targets


def test_link_targets_exist() -> None:
    for page in pages():
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


def test_no_page_contains_a_path_of_a_developers_machine() -> None:
    for page in pages():
        lines = page.read_text(encoding="utf-8").splitlines()
        assert (page, set()) == (page, {line for line in lines if _MACHINE_PATH.search(line)})


def test_the_changelog_has_an_unreleased_section() -> None:
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
