"""Completion of ids with titles in bash, zsh and fish, as people type."""

import re
import shutil
import subprocess
import sys

import pytest
from tests.cli.output.test_startup import HEAVY, RUN
from tests.cli.overview.test_history import reopen
from tests.cli.project import Project
from tests.cli.setup.own_config import own_config
from tests.cli.terminal import Terminal
from tests.warm.client import program_path

# What a terminal, a shell or its completion might act on.
HOSTILE = (
    r"$(touch made) `touch made`;touch made: %F{red} \n, it's \"so\"" + "\x1b[2J\x07\t\u202e end"
)
# A shell would run or split these names.
NAMES = ("0007-$(touch made)", "0008-two words", "0009-a;touch made", "0010-`touch made`")
_SHOWN = r"$(touch made) `touch made`;touch made: %F{red} \n, it's \"so\""
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?>=]*[A-Za-z]|[()][A-Z0-9]|[=>])|\r")


@pytest.fixture
def several(project: Project) -> Project:
    project.increment("0001-search", status="active")
    project.increment("0002-login", reopenHistory=[reopen(1, "2025-11-10T00:00:00Z")])
    project.increment("0003-照合", status="paused")
    project.increment("0004-old", archived=True)
    for name in NAMES:
        project.increment(name, status="active")
    for name, title in (("0001-search", HOSTILE), ("0003-照合", "監査の照合"), (NAMES[0], HOSTILE)):
        (project.folder(name) / "spec.md").write_text(f"# {title}\n", encoding="utf-8")
    (project.folder("0005-broken")).mkdir()
    project.extra["PATH"] = program_path(f"{project.bin}:/usr/bin:/bin")
    return project


def complete(project: Project, *words: str, shell: str = "bash") -> dict[str, str]:
    """The completions of the last word, with what is shown beside each."""
    project.extra |= {
        "_UNLATCH_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("unlatch", *words)),
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words)),
    }
    done = project.process().ends(0, whole_err="")
    lines = [line.split("\t") for line in done.out.splitlines() if line]
    return {value: shown for kind, value, shown in lines if kind == "plain"}


def test_a_command_completes_the_increments_that_it_can_act_on(several: Project) -> None:
    for line, expected in (
        ("show ", "1234"),
        ("show 0002", "2"),
        ("history 0", "1234"),
        ("history verify ", "1234"),
        ("resume ", "234"),
        ("reopen 0", "234"),
        ("pause ", "1"),
        ("pause 0001-search ", ""),
        ("start ", "3"),
        ("complete ", "1"),
        ("undo ", "2"),
        ("sync 0002-login ", "134"),
        ("doctor ", "1234"),
        ("github status ", "1234"),
        ("--root . show ", "1234"),
        ("show nothing", ""),
    ):
        found = complete(several, *line.split(" "))
        assert expected == "".join(name[3] for name in found), line

    # A command below one with ids is completed, too.
    assert ["verify"] == [*complete(several, "history", "ver")]
    assert "verify" in complete(several, "history", "")


def test_aliases_are_completed_like_the_commands_that_they_stand_for(several: Project) -> None:
    own_config(
        several,
        "[aliases]\nrx = 'resume --yes'\nshow = 'list'\n'r $(touch made)' = 'list'\nry = 'ry'\n",
    )
    commands = {"regressions", "reopen", "report", "resume", "review", "run"}
    assert {"rx", "ry", *commands} == {*complete(several, "r")}
    assert ["show"] == [*complete(several, "show")]
    assert "rx  resume --yes" == complete(several, "rx")["rx"]
    assert complete(several, "resume", "0") == complete(several, "rx", "0") != {}
    assert {} == complete(several, "ry", "0")


def test_titles_stand_beside_the_ids_on_one_line(several: Project) -> None:
    several.extra["COLUMNS"] = "60"
    found = complete(several, "show", "00")
    assert "0002-login   Login" == found["0002-login"]
    assert "0003-照合    監査の照合" == found["0003-照合"]
    assert found["0001-search"].startswith("0001-search  $(touch made) `touch made`;touch")
    assert all(line.isprintable() for line in found.values())


def test_values_of_options_and_names_of_trackers_are_completed(several: Project) -> None:
    assert ["created"] == [*complete(several, "list", "--sort", "cr")]
    assert ["active"] == [*complete(several, "list", "--status", "act")]
    assert ["jira"] == [*complete(several, "list", "--tracker", "j")]
    for line in (
        *("list --tracker", "history --tracker", "show --tracker", "link --create"),
        *("auth login", "auth logout"),
    ):
        assert ["ado", "github", "jira"] == [*complete(several, *line.split(), "")], line


@pytest.mark.sweep
def test_a_completion_loads_nothing_that_is_slow(several: Project) -> None:
    several.extra |= {
        "_UNLATCH_COMPLETE": "bash_complete",
        "COMP_WORDS": "unlatch resume ",
        "COMP_CWORD": "2",
    }
    script = RUN.replace("run(sys.argv[1:])", "try: run([])\nexcept SystemExit: pass")
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=several.root,
        env=several.environ,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "0002-login" in done.stdout
    assert set() == set(done.stderr.splitlines()) & HEAVY


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


def screen(terminal: Terminal) -> str:
    return _ESCAPES.sub("", terminal.raw)


def is_unharmed(project: Project) -> bool:
    return not [*project.root.rglob("made"), *project.home.rglob("made")]


@needs("bash")
@pytest.mark.parametrize("columns", [60, 100, 200])
def test_bash_lists_titles_and_inserts_an_id(several: Project, columns: int) -> None:
    extra = {"PS1": "> ", "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8"}
    bash = ("bash", "--norc", "--noprofile", "-i")
    with Terminal(several, program=bash, columns=columns, extra=extra) as terminal:
        terminal.type('eval "$(unlatch completion bash)"; echo rea""dy\n')
        terminal.answer("\nready", "unlatch show 000\t\t")
        terminal.expect("0002-login   Login")
        terminal.expect("0003-照合    監査の照合")
        terminal.answer("0001-search  $(touch made)", "1\t--offline\n")
        terminal.expect("0001-search --offline")
        terminal.answer("Status       active", "exit\n")
        assert 0 == terminal.end()

    assert "two words" not in screen(terminal)
    assert "\x1b[2J" not in terminal.raw
    assert is_unharmed(several)


@needs("zsh")
@pytest.mark.parametrize("columns", [60, 100, 200])
def test_zsh_lists_titles_and_inserts_an_id(several: Project, columns: int) -> None:
    extra = {"PS1": "> ", "LC_ALL": "C.UTF-8", "ZDOTDIR": str(several.home)}
    with Terminal(several, program=("zsh", "-f", "-i"), columns=columns, extra=extra) as terminal:
        terminal.type("autoload -U compinit && compinit -u -D\n")
        terminal.type('eval "$(unlatch completion zsh)"; echo rea""dy\n')
        terminal.answer("\nready", "unlatch show 000\t")
        terminal.expect("Login")
        terminal.answer("監査の照合", "2\t--offline\n")
        terminal.answer("Status       completed", "exit\n")
        assert 0 == terminal.end()
    assert "$(touch made) `touch made`" in screen(terminal)
    assert "two words" not in screen(terminal)
    assert is_unharmed(several)


@needs("fish")
def test_fish_completes_ids_with_their_whole_titles(several: Project) -> None:
    script = "unlatch completion fish | source; complete -C 'unlatch show 00'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=several.root,
        env={**several.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    found = dict(line.split("\t") for line in done.stdout.splitlines())
    assert {"0001-search", "0002-login", "0003-照合", "0004-old"} == found.keys()
    assert ("Login", "監査の照合") == (found["0002-login"], found["0003-照合"])
    assert found["0001-search"].startswith(_SHOWN)
    assert is_unharmed(several)


def test_ids_of_efforts_sessions_and_runs_are_completed(project: Project) -> None:
    project.extra["PATH"] = program_path(f"{project.bin}:/usr/bin:/bin")
    assert project.run("effort", "open", "Auth bug").code == 0
    assert project.run("effort", "close", "--summary", "Done.").code == 0
    assert project.run("effort", "open", "Other").code == 0
    session = project.run("session", "start", "Build auth").out.strip()
    (project.root / ".unlatch/runs/2026-11-11-build").mkdir(parents=True)

    found = complete(project, "effort", "show", "")
    assert [*found] == ["auth-bug", "other"]
    assert found["auth-bug"].endswith("concluded")
    assert [*complete(project, "effort", "reopen", "a")] == ["auth-bug"]
    assert [*complete(project, "session", "show", "")] == [session]
    assert complete(project, "session", "pause", "zz") == {}
    assert [*complete(project, "run", "status", "")] == ["2026-11-11-build"]


def test_without_work_or_a_project_nothing_is_completed_and_nothing_said(project: Project) -> None:
    before = project.tree()
    for kind, command in (("effort", "show"), ("session", "show"), ("run", "status")):
        assert complete(project, kind, command, "") == {}
    assert before == project.tree()
    shutil.rmtree(project.root / ".unlatch")
    assert {} == complete(project, "show", "")
