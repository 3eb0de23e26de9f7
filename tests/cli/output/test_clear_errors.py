"""Errors of the machine and of the configuration name the cause, and a step that helps."""

import getpass
import os
import socket
from pathlib import Path

import pytest
from tests.cli.project import REASON, Project
from tests.cli.refusing import assert_refused
from tests.cli.terminal import Terminal

from unlatch.cli.main import run

RESUME = ("resume", "7", "--reason", REASON, "--yes")
FULL = Path("/dev/full")


def test_a_refused_token_is_named_by_its_source(project: Project) -> None:
    project.increment(links=project.items("github"))
    project.extra["GITHUB_TOKEN"] = "expired-token"
    done = project.run(*RESUME, "--json")
    (entry,) = done.document["trackers"]
    step = "the token came from GITHUB_TOKEN; set GITHUB_TOKEN to a valid token, or unset it"
    assert step == entry["error"]["hint"]


def test_a_trace_that_cannot_be_written(single: Project) -> None:
    done = single.run("--trace-http", "/nope/x", *RESUME)
    assert_refused(done, 2, "trace-unwritable")
    assert "--trace-http cannot be written: No such file or directory" in done.err
    assert [] == single.sent()
    single.run("search", "zebra").shows(whole_err="Nothing found. Next: unlatch list --all\n")


def test_a_sandbox_without_its_port_state_or_shell(project: Project) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = project.run("sandbox", "--port", str(min(taken.getsockname()[1], 65532)))
    assert_refused(done, 2, "sandbox-port-taken")
    notes = project.root / "notes.txt"
    notes.write_text("This is a text of mine, not a database.\n" * 40)
    for state in ("nowhere/state", "notes.txt"):
        assert_refused(project.run("sandbox", "--state", state), 2, "sandbox-state-unusable")
    project.extra["SHELL"] = "/nowhere/sh"
    shell = project.run("sandbox", "--shell")
    assert (2, True) == (shell.code, "error[sandbox-shell-unusable]: the shell" in shell.err)
    assert 40 == len(notes.read_text().splitlines())


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "line",
    ["list --json", "--help", "--version"],
)
def test_output_that_cannot_be_written_is_an_error(single: Project, line: str) -> None:
    with Terminal(single, *line.split(), stdout=os.open(FULL, os.O_WRONLY)) as terminal:
        assert terminal.end() == 5
    assert "error[output-unwritable]: the output cannot be written: No space" in terminal.text


def test_a_closed_pipe_is_no_error(single: Project) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with Terminal(single, "list", stdout=writer) as terminal:
        code = terminal.end()
    os.close(writer)
    assert (0, "") == (code, terminal.text)


def test_a_configuration_that_is_not_utf_8(single: Project) -> None:
    single.configure('[trackers.gihub]\nrepository = "octo/widgets"\n')
    single.run(*RESUME).shows(
        err="trackers.gihub: unknown tracker; did you mean [trackers.github]?"
    )
    (single.root / ".unlatch" / "config.toml").write_bytes(b'comment = "f\xfcll"\n')
    done = single.run(*RESUME).shows(
        err=("the file is not UTF-8 text: byte 12 is 0xfc", "next: save it as UTF-8")
    )
    assert_refused(done, 1, "config-invalid")


def test_an_editor_that_fails(single: Project) -> None:
    (single.bin / "false").unlink(missing_ok=True)
    (single.bin / "false").symlink_to("/bin/false")
    single.extra["EDITOR"] = "false"
    with Terminal(single, *RESUME, "--update-scope") as terminal:
        assert terminal.end() == 2
    assert "error[editor-failed]: the editor failed: " in terminal.text


def test_a_name_from_the_system_is_shown_before_it_appears_in_comments(single: Project) -> None:
    (single.home / ".gitconfig").unlink()
    note = f"note: git has no user.name: comments and the history name {getpass.getuser()!r}"
    with Terminal(single, "resume", "7") as terminal:
        terminal.answer("Continue?", "n\n")
        terminal.end()
    single.run(*RESUME, "--by", "Ada").shows(lacks="user.name")
    assert note in terminal.text.partition("Continue?")[0]


def test_a_missing_git_is_not_called_a_missing_name(single: Project) -> None:
    single.run("init", "--git").shows(
        err=("this is not a git repository", "next: git init, then run the command again")
    )
    (single.bin / "git").rename(single.bin / "tig")
    try:
        done, checked = single.run(*RESUME), single.run("sync", "--check")
        nowhere = single.run("init", "--git")
        changed = single.run("sync", "--changed-since", "main", "--dry-run")
    finally:
        (single.bin / "tig").rename(single.bin / "git")
    named = f"comments and the history name {getpass.getuser()!r}"
    assert f"note: git is not installed: {named}" in done.err
    assert (0, "") == (checked.code, checked.err.replace("Both sides are in sync.\n", ""))
    for one in (nowhere, changed):
        assert "error[no-git]: git is not installed" in one.err
    assert "next: install git, then run the command again" in nowhere.err


def test_a_current_folder_that_was_removed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for command in (("list",), RESUME, ("sync",), ("init",), ("effort", "list")):
        code = run([*command])
        said = capsys.readouterr().err
        assert (1, True) == (code, "error[no-folder]: the current folder was removed" in said), said
