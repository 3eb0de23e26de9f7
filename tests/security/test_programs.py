"""No repository makes unlatch start a program; only those in `programs` start.

Every git starts in the one function that runs it, with what a repository could name switched off.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import click
import pytest
from tests.cli import scoped
from tests.cli.project import NAME, REASON, WORKER, Project
from tests.pairs import sampled
from tests.security.programs import OF_GROUPS, PROGRAMS, Program
from tests.security.traps import NEVER, PUBLISHING, Traps, lay_bare, lay_clone
from tests.warm.client import unlatch

from unlatch.cli.app import app
from unlatch.cli.table import all_commands
from unlatch.worklog.search_path import find_program

COMMANDS = all_commands()
OBSERVER = Path(__file__).parent / "observer"
RESUME = ("resume", "7", "--reason", REASON, "--yes")
# Of each git that starts. These two start no hook, and look for those that the checkout has.
ALWAYS_OFF = {
    *("--no-pager", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"),
    *("submodule.recurse=false", "safe.bareRepository=explicit"),
}
WITHOUT_HOOKS = ("config", "rev-parse")
OFF = {
    "log": {"--no-show-signature", "--no-ext-diff", "--no-textconv"},
    "diff-tree": {"--no-ext-diff", "--no-textconv"},
}
START = '{"hook_event_name": "SessionStart", "cwd": "{root}"}'
PROPOSED = '{"tasks": [{"title": "Add a switch"}]}'


@dataclass(frozen=True)
class Example:
    """How a command is typed where it does its work.

    Args:
        arguments: those that follow its name.
        before: commands that bring the project there.
        stdin: its input.
        serves: it runs until it is interrupted.
        codes: the exit codes that show that it did its work.
    """

    arguments: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    stdin: str = ""
    serves: bool = False
    codes: frozenset[int] = frozenset({0})

    def without(self, word: str) -> Example:
        """The same without a word, such as `--yes`."""
        arguments, *before = (
            tuple(one for one in words if one != word) for words in (self.arguments, *self.before)
        )
        return replace(self, arguments=arguments, before=tuple(before))


RESUMED = (RESUME,)
PLANNED = ((*RESUME[:-1], "--plan-out", "plan.json"),)
OPENED = (("effort", "open", "memory"),)
LOGGED = (("session", "start", "Memory", "--phase", "Look"),)
CHAT = ".aider.chat.history.md"
IMPORTED = (("session", "import", CHAT),)
CODIFIED = (*LOGGED, ("session", "codify", "--output", "workflow.md"))
CONCLUDED = (*OPENED, ("effort", "close", "--summary", "Done"))
# The acceptance command is the user's own program.
RUN = ("plan.md", "--worker", "{worker}", "--yes")
RAN = (("run", "start", "plan.md", "--worker", WORKER, "--yes"),)
PLAN = """\
### Task 1-1: Look
**Work**: Look.
**Acceptance Criteria**:
- [ ] `git --version`
**Blocked By**: none
"""
EXAMPLES = {
    "resume": Example((*RESUME[1:], "--scope", "Rules can be switched off")),
    "reopen": Example(("{github}", "--reason", REASON, "--item-only")),
    "close": Example(("{github}", "--item-only")),
    "undo": Example(("7", "--reason", "A false alarm", "--yes"), before=RESUMED),
    "apply": Example(("plan.json", "--yes"), before=PLANNED),
    "complete": Example(("7", "--force", "--reason", REASON), before=RESUMED),
    "abandon": Example(("7", "--reason", REASON), before=RESUMED),
    "pause": Example(("8", "--reason", REASON)),
    "review": Example(("8",)),
    "backlog": Example(("8",)),
    "start": Example(("9",)),
    "new": Example(("A second thing",)),
    "status": Example(before=RESUMED),
    "list": Example(),
    "show": Example(("7",)),
    "history": Example(("7",), before=RESUMED),
    "history verify": Example(("7",), before=RESUMED, codes=frozenset({0, 5})),
    "report": Example(("--online",), before=RESUMED, codes=frozenset({0, 5})),
    "regressions": Example(("--apply", "--yes"), before=(("sync",),), codes=frozenset({0, 5})),
    "link": Example(("8", "{github}")),
    "unlink": Example(("7", "{github}")),
    "sync": Example(("--changed-since", "main", "--yes"), before=(("sync",),)),
    "ingest": Example(("--from", "github-event", "{event}")),
    "init": Example(("--git",)),
    "auth login": Example(("github",), stdin="s3cret\n", codes=frozenset({1})),
    "auth logout": Example(("github",), codes=frozenset({0, 1, 4})),
    "auth status": Example(codes=frozenset({0, 4})),
    "doctor": Example(("--online", "--fix", "--yes"), codes=frozenset({0, 5})),
    "config list": Example(),
    "config get": Example(("labels.reopened",)),
    "config set": Example(("labels.reopened", "again")),
    "config unset": Example(("labels.reopened",), (("config", "set", "labels.reopened", "again"),)),
    "plugins": Example(),
    "plugins new": Example(("redmine",)),
    "completion": Example(("bash",)),
    "help": Example(("trackers",)),
    "search": Example(("smart", "discipline")),
    "similar": Example(("smart discipline",)),
    "session start": Example(("Memory",)),
    "session log": Example(("--decision", "Use a lock"), before=LOGGED),
    "session pause": Example(before=LOGGED),
    "session resume": Example(before=(*LOGGED, ("session", "pause"))),
    "session complete": Example(before=LOGGED),
    "session link": Example(("memory", "7"), before=LOGGED),
    "session list": Example(before=LOGGED),
    "session show": Example(before=LOGGED),
    "session codify": Example(before=LOGGED),
    "session learn": Example(before=LOGGED),
    "workflow validate": Example(("workflow.md",), before=CODIFIED),
    "workflow show": Example(("workflow.md",), before=CODIFIED),
    "session import": Example((CHAT,)),
    "session publish": Example(("fix-add", "--yes"), before=IMPORTED),
    "session query": Example(before=LOGGED),
    "session stats": Example(before=LOGGED),
    "run start": Example(RUN),
    "run check": Example(("plan.md",)),
    "run agree": Example(("--yes",), before=RAN),
    "run list": Example(before=RAN),
    "run status": Example(before=RAN),
    "run events": Example(before=RAN),
    "run watch": Example(before=RAN),
    "run pause": Example(before=RAN, codes=frozenset({1})),
    "run stop": Example(before=RAN, codes=frozenset({1})),
    "run resume": Example(("--reason", REASON), before=RAN),
    "run recover": Example(before=RAN, codes=frozenset({1})),
    "run context": Example(("--left", "9"), before=RAN),
    "run questions": Example(before=RAN),
    "run answer": Example(("1-1", "yes"), before=RAN, codes=frozenset({2})),
    "run demo": Example(),
    "fleet sync": Example(("fleet.toml",)),
    "fleet check": Example(("fleet.toml",)),
    # There is no database.
    "fleet serve": Example(("fleet.toml",), codes=frozenset({2})),
    "fleet init": Example(codes=frozenset({2})),
    "fleet add": Example(("fleet.toml",), codes=frozenset({2})),
    "fleet node": Example(codes=frozenset({2})),
    "fleet status": Example(codes=frozenset({2})),
    "fleet retry": Example(("octo/widgets",), codes=frozenset({2})),
    "fleet pause": Example(("--all",), codes=frozenset({2})),
    "fleet drain": Example(codes=frozenset({2})),
    "mcp": Example(),
    "agents install": Example(("claude", "--yes")),
    "agents uninstall": Example(("--yes",), before=(("agents", "install", "claude", "--yes"),)),
    "agents list": Example(),
    "agents trust": Example(),
    "agents hook": Example(stdin=START, before=(("agents", "trust"),)),
    "effort open": Example(("memory",)),
    "effort close": Example(("--summary", "Done"), before=OPENED),
    "effort reopen": Example(("memory", "--reason", "Again"), before=CONCLUDED),
    "effort switch": Example(("memory",), before=OPENED),
    "effort expand": Example(("memory",), before=CONCLUDED),
    "effort collapse": Example(("memory",), before=(*CONCLUDED, ("effort", "expand", "memory"))),
    "effort link": Example(("memory", "7"), before=OPENED),
    "effort list": Example(before=OPENED),
    "effort show": Example(("memory",), before=OPENED),
    "effort search": Example(("memory",), before=OPENED),
    "effort verify": Example(before=OPENED),
    "effort export": Example(("memory",), before=OPENED),
    "effort chat": Example(stdin="Hello\n", codes=frozenset({1})),  # no model is configured
    "effort demo": Example(),
    "demo": Example(),
    "sandbox": Example(serves=True, codes=frozenset({0, 130})),
    "migrate": Example(("--yes",)),
    "merge": Example(("--resolve", "7"), codes=frozenset({1})),
    "merge-driver": Example(("{version}", "{version}", "{version}")),
    **{
        f"{tracker} {kind}{noun}": Example(arguments)
        for tracker, noun in (("github", "-issue"), ("ado", "-work-item"), ("jira", "-issue"))
        for kind, arguments in (
            ("create", ("8",)),
            ("reopen", ("7", "--reason", REASON)),
            ("close", ("7",)),
            ("update", ("7",)),
        )
    },
    **{f"{tracker} status": Example(("7",)) for tracker in ("github", "ado", "jira")},
}


def lay_files(project: Project) -> None:
    """The transcript of an agent in the project, and the plan of a run."""
    text = "# aider chat started at 2024-08-05 19:33:32\n#### Fix add\n"
    (project.root / CHAT).write_text(text, encoding="utf-8")
    (project.root / "plan.md").write_text(PLAN, encoding="utf-8")
    (project.root / "fleet.toml").write_text("repositories = []\n")


def commands() -> dict[str, frozenset[Program]]:
    """Every command that can be typed, and the programs that it may start."""
    context = click.Context(app)
    declared: dict[str, frozenset[Program]] = {}
    for name in [*COMMANDS, *app.list_commands(context)]:
        found = app.get_command(context, name)
        programs = PROGRAMS[name] if name in COMMANDS else OF_GROUPS
        inner = [""]
        if isinstance(found, click.Group):
            inner = inner[: found.invoke_without_command] + found.list_commands(context)
        declared |= {f"{name} {one}".strip(): programs for one in inner}
    return declared


DECLARED = commands()
# The demo works in a folder of its own, and the trackers' groups ask git what the others ask.
ASKS_GIT = [
    name
    for name, programs in DECLARED.items()
    if Program.GIT in programs and Program.UNLATCH not in programs and name.split()[0] in COMMANDS
]


# As processes run one command of those that may start the same programs, and those that begin with
# what a repository says. tests/security/test_hostile_files.py observes commands in process.
_FOR_PROGRAMS = {programs: name for name, programs in DECLARED.items()}
STARTED = sampled(DECLARED, {*_FOR_PROGRAMS.values(), "agents hook", "merge", "resume", "sync"})
# One module asks git for all commands.
IN_BARE = sampled(ASKS_GIT, {*ASKS_GIT[::24], "sync"})


def interrupt(process: subprocess.Popen[str]) -> None:
    """Send Ctrl-C until that ends a process; one that arrives before it waits can be lost."""
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
            return


@dataclass(frozen=True)
class Ran:
    """The result of a command in a hostile repository."""

    code: int
    said: str
    started: frozenset[Program | str]


@dataclass
class Lair:
    """A project with traps, and the programs that are its user's own."""

    project: Project
    traps: Traps
    bin: Path
    lay: Callable[..., None] = lay_clone
    settings: tuple[str, ...] = (NEVER, PUBLISHING)

    def prepare(self, before: Iterable[tuple[str, ...]] = ()) -> None:
        self.project.increment(links=self.project.items())
        scoped.write(self.project)
        self.project.increment("0008-active", status="active")
        self.project.increment("0009-planned", status="planning")
        lay_files(self.project)
        self.lay(self.project, self.traps, *self.settings)
        for arguments in before:
            self.project.run(*arguments)
        # Changed since the commit, as git would want to look at it.
        (self.project.folder() / "notes.md").write_text("More\n")
        (self.project.folder() / "tasks.md").write_text(f"{scoped.TASKS}\n")
        for name in ("gh", "az", "propose", "my-editor"):
            self.own(name, "exit 1")
        self.own("gh", f"echo {self.project.box.github.token}")
        self.own("my-worker", """echo '{"type": "done"}'""")
        self.own("propose", f"echo '{PROPOSED}'")
        config = self.project.home / ".config" / "unlatch"
        config.mkdir(parents=True)
        (config / "config.toml").write_text('tasks_command = ["propose"]\n')

    def own(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    @property
    def environ(self) -> dict[str, str]:
        root = self.project.root
        path = ("", ".", "relative", str(root), f"{root}/", str(self.bin), "./relative")
        environ = {
            **self.project.environ,
            "PATH": os.pathsep.join(path),
            "PYTHONPATH": str(OBSERVER),
            "OBSERVED": str(self.log),
            "XDG_CONFIG_HOME": str(self.project.home / ".config"),
            "EDITOR": "my-editor",
            "GIT_EXTERNAL_DIFF": str(self.traps.program("external-by-variable")),
        }
        del environ["GITHUB_TOKEN"]
        return environ

    @property
    def log(self) -> Path:
        return self.project.home / "observed"

    def run(self, name: str, example: Example) -> Ran:
        """Run a command where everything is a trap."""
        version = self.project.folder() / "metadata.json"
        event = self.project.home / "event.json"
        event.write_text("{}")
        words = {
            "github": self.project.urls["github"],
            "event": event,
            "version": version,
            "worker": "my-worker",
        }
        arguments = [one.format_map(words) if one[:1] == "{" else one for one in example.arguments]
        process = subprocess.Popen(
            [*unlatch(), *name.split(), *arguments],
            cwd=self.project.root,
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        with process:
            first = ""
            if example.serves:
                assert process.stdout
                first = process.stdout.readline()
                interrupt(process)
            said, _ = process.communicate(
                example.stdin.replace("{root}", str(self.project.root)) or None, timeout=120
            )
        return Ran(process.returncode, first + said, self.started())

    def started(self) -> frozenset[Program | str]:
        """The programs that started, by their absolute paths; other words are unchanged.

        git counts only if the one function that runs it has started it.
        """
        known: dict[str, Program | str] = {
            str(self.bin / "git"): Program.GIT,
            str(self.bin / "gh"): Program.TOKEN,
            str(self.bin / "az"): Program.TOKEN,
            str(self.bin / "propose"): Program.TASKS,
            str(self.bin / "my-editor"): Program.EDITOR,
            unlatch()[0]: Program.UNLATCH,
            str(self.bin / "my-worker"): Program.WORKER,
            sys.executable: Program.UNLATCH,
        }
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return frozenset(
            _with_faults(known.get(path, path), words, is_as_git=is_as_git)
            for _, path, is_as_git, words in map(json.loads, lines)
        )


def _with_faults(program: Program | str, words: list[str], *, is_as_git: bool) -> Program | str:
    """A program that started; as a text with what is wrong if git did not start as it has to."""
    if is_as_git is not (program is Program.GIT):
        return f"{program} in another function"
    if program is Program.GIT and (missing := options_without(words[1:])):
        return f"git {' '.join(words)} without {', '.join(sorted(missing))}"
    return program


def options_without(words: list[str]) -> set[str]:
    """The options that keep git from starting what a repository names, and that are missing."""
    at = 0
    while words[at].startswith("-"):
        at += 2 if words[at] == "-c" else 1
    command, given = words[at], {*words}
    needed = ALWAYS_OFF | OFF.get(command, set())
    if command not in WITHOUT_HOOKS:
        needed |= {f"core.hooksPath={os.devnull}"}
    return needed - given


@pytest.fixture
def lair(project: Project, tmp_path: Path) -> Lair:
    programs = tmp_path / "bin"
    programs.mkdir()
    git = find_program("git")
    assert git is not None
    (programs / "git").symlink_to(git)
    return Lair(project, Traps(tmp_path / "traps"), programs)


def test_every_command_has_an_example() -> None:
    assert DECLARED.keys() == EXAMPLES.keys()


@pytest.mark.parametrize("name", STARTED)
def test_a_command_starts_only_the_programs_that_it_declares(lair: Lair, name: str) -> None:
    example = EXAMPLES[name]
    lair.prepare(example.before)

    ran = lair.run(name, example)

    assert ran.code in example.codes, ran.said
    assert frozenset() == ran.started - DECLARED[name]
    assert [] == lair.traps.sprung()


@pytest.mark.parametrize("name", IN_BARE)
def test_a_committed_bare_repository_starts_nothing(lair: Lair, name: str) -> None:
    lair.lay = lay_bare
    lair.prepare(EXAMPLES[name].before)

    ran = lair.run(name, EXAMPLES[name])

    assert "Traceback" not in ran.said
    assert frozenset() == ran.started - DECLARED[name]
    assert [] == lair.traps.sprung()


def test_publishing_runs_no_hook_and_no_monitor(lair: Lair, tmp_path: Path) -> None:
    lair.settings = (NEVER,)
    lair.prepare(RESUMED)
    with (lair.project.home / ".gitconfig").open("a") as config:
        config.write('[protocol "file"]\n    allow = always\n')
    with (lair.project.root / ".gitattributes").open("a") as attributes:
        attributes.write("/.unlatch/** -filter\n")
    origin = tmp_path / "origin.git"
    hostless = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
    lair.project.git(*hostless, "clone", "--quiet", "--bare", str(lair.project.root), str(origin))
    lair.project.git(*hostless, "remote", "add", "origin", str(origin))
    assert [] == lair.traps.sprung()

    ran = lair.run("sync", Example(("--yes", "--commit", "push")))

    assert 0 == ran.code, ran.said
    assert "pushed" in ran.said
    assert "hooks of this checkout did not run: pre-commit," in ran.said
    assert frozenset({Program.GIT, Program.TOKEN}) == ran.started
    assert [] == lair.traps.sprung()


@pytest.mark.parametrize("lay", [lay_clone, lay_bare])
def test_the_traps_work(lair: Lair, lay: Callable[..., None]) -> None:
    lair.lay = lay
    lair.prepare()

    shown = ("log", "-1")
    for arguments in (("status",), ("diff", "--ext-diff", "HEAD", "--"), ("add", "--all"), shown):
        subprocess.run(
            [lair.bin / "git", *arguments], cwd=lair.project.root, check=False, env=lair.environ
        )

    assert {"fsmonitor", "clean", "command", "gpg"} <= set(lair.traps.sprung())


def test_the_observer_sees_what_starts(lair: Lair) -> None:
    lair.prepare()

    ran = lair.run("resume", EXAMPLES["resume"])

    assert {Program.GIT, Program.TOKEN, Program.TASKS} == ran.started
    assert "Add a switch" in json.dumps(lair.project.metadata(NAME))


def test_an_option_of_git_that_is_missing_is_seen() -> None:
    always = [word for one in sorted(ALWAYS_OFF - {"--no-pager"}) for word in ("-c", one)]
    words = ["--no-pager", *always, "log", *OFF["log"]]

    assert {f"core.hooksPath={os.devnull}"} == options_without(words)
    assert ALWAYS_OFF == options_without(["config", "--list"])
    assert set() == options_without(["-c", f"core.hooksPath={os.devnull}", *words])


def test_a_vendors_program_for_another_tracker_is_found_as_safely(lair: Lair) -> None:
    lair.prepare()
    lair.project.extra["AZURE_DEVOPS_EXT_PAT"] = None

    ran = lair.run("auth status", EXAMPLES["auth status"])

    assert frozenset({Program.TOKEN}) == ran.started
    assert str(lair.bin / "az") in lair.log.read_text()
    assert [] == lair.traps.sprung()
