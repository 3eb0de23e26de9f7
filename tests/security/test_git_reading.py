"""Commands that read start no program that a repository's own git configuration names."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.layouts.folders import spec_kit, tick
from tests.cli.project import Project
from tests.docs.pages import ROOT
from tests.security.traps import NEVER, PUBLISHING, Traps, commit_signed, lay_clone

from unlatch.project.git import run
from unlatch.project.git.run import ask_git, run_git

FEATURE = "001-photo-albums"
# Each with arguments that would start something without the settings for reading.
READING = {
    "cat-file": ("blob", "HEAD:.gitattributes"),
    "check-attr": ("--all", ".gitattributes"),
    "config": ("--list",),
    "diff-tree": ("-p", "--root", "HEAD"),
    "for-each-ref": ("--format=%(contents:signature)",),
    "log": ("-p", "--format=%G? %GG", "--all"),
    "ls-files": ("-t", "--others", "--stage"),
    "ls-tree": ("-r", "HEAD"),
    "merge-base": ("HEAD", "HEAD"),
    "merge-file": (".gitattributes", ".gitattributes", ".gitattributes"),
    "remote": ("get-url", "origin"),
    "rev-list": ("--objects", "HEAD"),
    "rev-parse": ("HEAD",),
    "symbolic-ref": ("HEAD",),
    "worktree": ("list",),
}
# As `programs` has them: what may start a program by itself.
STARTERS = ("subprocess.", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "os.popen")
LOOKUPS = ("find_program", "run", "which", "Popen", "create_subprocess_exec")
# Parsing the sources without any of these would take most of the time.
MAYBE = re.compile("|".join([*map(re.escape, STARTERS), *(rf"\b{name}\(" for name in LOOKUPS)]))


@pytest.fixture
def traps(tmp_path: Path) -> Traps:
    return Traps(tmp_path / "traps")


@pytest.fixture
def trapped(project: Project, traps: Traps) -> Project:
    """An unpacked archive whose own git configuration is nothing but traps."""
    project.increment()
    lay_clone(project, traps, NEVER, PUBLISHING)
    (project.folder() / "tasks.md").write_text("# Changed\n")
    return project


def test_doctor_checks_no_signature(project: Project, traps: Traps) -> None:
    spec_kit(project.root)
    assert 0 == project.run("init").code
    assert 0 == project.run("link", FEATURE, "--create", "github").code
    tick(project.root / f"specs/{FEATURE}/tasks.md")
    assert 0 == project.run("complete", FEATURE).code
    lay_clone(project, traps)
    project.git("mv", f"specs/{FEATURE}", "specs/018-photo-albums")
    commit_signed(project, traps)
    with (project.root / ".git/config").open("a") as config:
        config.write(traps.settings("[log]\nshowSignature = true\n[gpg]\nprogram = {gpg}\n"))

    done = project.run("doctor")

    assert "git mv" in done.out  # it read the history
    assert "gpg" not in traps.sprung()


def test_no_command_that_reads_starts_anything(
    trapped: Project, traps: Traps, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in trapped.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(traps.program("external-by-variable")))

    done = {name for name, words in READING.items() if run_git(trapped.root, name, *words)}

    assert [] == traps.sprung()
    assert {"merge-file", "worktree"} >= READING.keys() - done


def test_the_traps_would_have_been_sprung(trapped: Project, traps: Traps) -> None:
    environ = {**trapped.environ, "GIT_EXTERNAL_DIFF": str(traps.program("external-by-variable"))}
    for command, arguments in READING.items():
        subprocess.run(
            ["git", command, *arguments],
            cwd=trapped.root,
            env=environ,
            check=False,
            capture_output=True,
        )

    assert {"gpg", "fsmonitor", "textconv"} <= set(traps.sprung())


def test_every_command_that_reads_is_tried() -> None:
    assert READING.keys() == run._COMMANDS.keys()


@pytest.mark.parametrize(
    "command",
    [
        *("status", "diff", "add", "push", "grep", "my-alias"),
        *("cat-file --filters x", "log --show-signature", "ls-files -m", "diff-tree --textconv x"),
    ],
)
def test_another_command_is_refused(tmp_path: Path, command: str) -> None:
    with pytest.raises(ValueError, match="no command that reads"):
        ask_git(tmp_path, *command.split())


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(8))
def test_no_setting_that_git_knows_starts_anything(
    trapped: Project, traps: Traps, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    for name, value in trapped.environ.items():
        monkeypatch.setenv(name, value)
    config = trapped.root / ".git/config"
    before = config.read_bytes()
    listed = trapped.git("help", "--config-for-completion").split()
    names = [name for name in listed if not name.endswith(".")][part::8]
    assert len(names) > 50

    for name in names:
        config.write_bytes(before)
        filled = name.replace("*", "trap").replace("<", "").replace(">", "")
        with_trap = ("config", "--add", filled, str(traps.program(f"setting-{filled}")))
        if run_git(trapped.root, *with_trap) is None:
            continue
        for command, arguments in READING.items():
            run_git(trapped.root, command, *arguments)

        assert [] == traps.sprung(), name


def _calls(path: Path) -> Iterator[ast.Call]:
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)) if MAYBE.search(source) else ():
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.startswith(STARTERS) or called.rpartition(".")[2] in LOOKUPS:
                yield node


def _names_git(call: ast.Call) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    words = (node for argument in arguments for node in ast.walk(argument))
    return any(
        isinstance(word, ast.Constant)
        and isinstance(word.value, str)
        and (Path(word.value).name == "git" or word.value.startswith("git "))
        for word in words
    )


def test_one_function_runs_git() -> None:
    sources = [path for top in ("core", "plugins") for path in (ROOT / top).rglob("*.py")]
    calls = {path.relative_to(ROOT): [*_calls(path)] for path in sources}

    named = {str(path) for path, found in calls.items() if any(map(_names_git, found))}
    assert {"core/unlatch/project/git/run.py"} == named
    assert sum(map(len, calls.values())) > 20  # others start programs


def test_names_of_git_are_recognized(tmp_path: Path) -> None:
    calls = {
        'subprocess.run(["git", "log"])': True,
        'os.execvp("/usr/bin/git", ["git"])': True,
        'os.system("git status")': True,
        'programs.run([find_program("git")], cwd=root)': True,
        'find_program(name="git")': True,
        'subprocess.run(["gh"])': False,
        'print("git log")': False,
    }
    for text, is_git in calls.items():
        (path := tmp_path / "example.py").write_text(text)
        assert is_git is any(map(_names_git, _calls(path))), text
