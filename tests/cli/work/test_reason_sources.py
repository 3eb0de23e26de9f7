"""A reason from a file, from the editor, and from the reasons before."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.cli.refusing import assert_refused, assert_unchanged
from tests.cli.terminal import Terminal
from tests.warm.client import COLD

from unlatch.cli.runtime.session import require_terminal
from unlatch.errors import UsageError

WHY = "Reason for reopening: "
LONG = "The import fails\n\n#4 shows where:\nline 2"
UP = "\x1b[A"
YES = ("--yes",)


def reasons(project: Project) -> list[str]:
    return [entry["reason"] for entry in project.metadata()["reopenHistory"]]


def editor(folder: Path, script: str) -> dict[str, str]:
    """An environment with an editor: a shell script, which gets the file as its argument."""
    path = folder / "my editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"EDITOR": f"'{path}' --wait"}


@pytest.mark.parametrize("option", ["-m", "--reason"])
def test_the_reason_has_a_short_option(single: Project, option: str) -> None:
    done = single.run("resume", "7", option, LONG, "--yes")

    assert done.code == 0, done.said
    assert reasons(single) == [LONG]


@pytest.mark.parametrize("option", ["-F", "--reason-file"])
def test_a_file_has_the_reason(single: Project, tmp_path: Path, option: str) -> None:
    file = tmp_path / "why.txt"
    file.write_bytes(b"\xef\xbb\xbf\n" + LONG.replace("\n", "\r\n").encode() + b"\n\n")

    done = single.run("resume", "7", option, str(file), "--yes")

    assert done.code == 0, done.said
    assert reasons(single) == [LONG]


def test_a_dash_for_the_file_is_stdin(single: Project) -> None:
    done = single.run("resume", "7", "-F", "-", "--yes", stdin=LONG)

    assert done.code == 0, done.said
    assert reasons(single) == [LONG]


def test_a_file_that_is_missing_is_refused(single: Project) -> None:
    before = single.tree()

    done = single.run("resume", "7", "-F", "nowhere.txt", "--yes")

    assert done.code == 2
    assert "'nowhere.txt' does not exist" in done.err
    assert_unchanged(single, before)


@pytest.mark.parametrize(
    ("size", "found"),
    [(10_001, "10,001 characters"), (20_000, "20,000 characters or more"), (10 << 20, "or more")],
)
def test_a_long_file_is_refused_with_its_size(
    single: Project, tmp_path: Path, size: int, found: str
) -> None:
    before = single.tree()
    (tmp_path / "long.txt").write_text("x" * size)

    done = single.run("resume", "7", "-F", str(tmp_path / "long.txt"), "--yes")

    assert done.code == 2
    assert "error[reason-too-long]: the reason has " in done.err
    assert f"{found}; at most 10,000 are kept" in done.err
    assert_unchanged(single, before)


def test_only_the_beginning_of_an_endless_file_is_read(single: Project) -> None:
    done = single.run("resume", "7", "-F", "/dev/zero", "--yes")

    assert (done.code, "error[reason-unreadable]" in done.err) == (2, True)


def test_what_is_no_terminal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with pytest.raises(UsageError, match="cannot prompt: stdin is not a terminal"):
        require_terminal("x", "y")
    master, slave = os.openpty()
    with open(master), open(slave) as terminal:  # noqa: PTH123  (descriptors)
        monkeypatch.setattr("sys.stdin", terminal)
        with pytest.raises(UsageError, match="cannot prompt: stderr is not a terminal"):
            require_terminal("x", "y")


@pytest.mark.parametrize(
    "sources",
    [("-m", "One", "-m", "Two"), ("-m", "One", "-e"), ("-F", "-", "-e"), ("-m", "-", "-F", "-")],
)
def test_two_sources_of_the_reason_are_refused(single: Project, sources: tuple[str, ...]) -> None:
    before = single.tree()

    done = single.run("resume", "7", *sources, "--yes", stdin="One")

    assert done.code == 2
    assert "give the reason once: --reason, --reason-file or --edit" in done.err
    assert_unchanged(single, before)


def test_the_editor_has_the_reason_and_shows_the_context(
    completed: Project, tmp_path: Path
) -> None:
    assert completed.run("resume", "7", "-m", "First\nvim: set sw=4:", "--yes").code == 0
    assert completed.run("complete", "7").code == 0
    shown, text = tmp_path / "shown", LONG.replace("\n", "\\n")
    script = f'[ "$1" = --wait ] && /bin/cp "$2" {shown} && printf "{text}\\n# A comment" > "$2"'

    with Terminal(
        completed, "resume", "7", "--edit", "--yes", extra=editor(tmp_path, script)
    ) as terminal:
        assert terminal.end() == 0, terminal.text

    assert reasons(completed)[1:] == [LONG]
    when = completed.metadata()["reopenHistory"][0]["reopenedAt"][:10]
    assert shown.read_text() == (
        "\n# The reason for: unlatch resume\n"
        "# Lines that begin with '# ' are left out. An empty reason cancels the command.\n"
        "#\n"
        f"# {NAME}: Smart discipline (completed)\n"
        f"#   GitHub {completed.urls['github']}\n"
        f"#   Azure DevOps {completed.urls['ado']}\n"
        f"#   Jira {completed.urls['jira']}\n"
        f"#   Last reopened {when} by Gil Git:\n"
        "#     First\n"
        "#     vim : set sw=4:\n"
    )


@pytest.mark.parametrize("script", ["true", "echo '# Nothing' > $2", "echo > $2"])
def test_an_empty_edit_changes_nothing(single: Project, tmp_path: Path, script: str) -> None:
    before = single.tree()

    with Terminal(single, "resume", "7", "-e", "--yes", extra=editor(tmp_path, script)) as terminal:
        assert terminal.end() == 2

    assert "error[reason-missing]: the reason is empty" in terminal.text
    assert_unchanged(single, before)


@pytest.mark.parametrize(
    ("words", "step"),
    [
        (("7", "-F", "-"), f"unlatch resume {NAME} --reason-file - --yes"),
        (("7", "-m", "-"), f"unlatch resume {NAME} --reason - --yes"),
        (("7-8", "-F", "-"), "repeat with --reason-file - --yes"),
        (
            ("--all-matching", "title~smart", "-F", "-"),
            f"unlatch resume {NAME} --reason-file - --yes",
        ),
    ],
)
@pytest.mark.parametrize("command", ["resume", "reopen"])
def test_a_pipe_is_not_read_for_a_question_that_cannot_be_asked(
    single: Project, command: str, words: tuple[str, ...], step: str
) -> None:
    single.increment("0008-more")
    before = single.tree()

    # It would be refused as binary if it was read.
    done = single.run(command, *words, stdin="\0")

    assert (done.code, done.out) == (2, "")
    assert "error[not-interactive]: " in done.err
    assert f"next: {step}" in done.err
    assert_unchanged(single, before)


@pytest.mark.parametrize(
    ("words", "status"), [(("7", "--yes"), "completed"), (("7",), "paused"), ((), "completed")]
)
def test_a_pipe_is_read_where_nothing_is_asked(
    project: Project, words: tuple[str, ...], status: str
) -> None:
    project.items("github")
    project.increment(status=status)
    done = project.run("reopen", *(words or ("octo/widgets#4",)), "-F", "-", stdin=LONG)
    assert done.code == 0, done.said


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"VISUAL": "/nope", "EDITOR": "/bin/true"}, "VISUAL names no installed program: /nope"),
        ({"VISUAL": "'vi", "EDITOR": "/bin/true"}, "VISUAL is no command: no closing quotation"),
        ({"VISUAL": "", "EDITOR": "nope -w"}, "EDITOR names no installed program: nope"),
        ({"VISUAL": "", "EDITOR": ""}, "VISUAL and EDITOR are not set"),
    ],
)
def test_the_variable_that_names_no_editor_is_named(
    single: Project, environ: dict[str, str], why: str
) -> None:
    with Terminal(single, "resume", "7", "-e", "--yes", extra=environ) as terminal:
        assert terminal.end() == 2

    assert f"error[editor-missing]: {why}\n" in terminal.text
    assert f"next: set {'VISUAL' if environ['VISUAL'] else 'EDITOR'}, or use --rea" in terminal.text


@pytest.mark.parametrize(
    ("environ", "error"),
    [
        ({"EDITOR": ""}, "editor-missing"),
        ({"EDITOR": "no-such-editor"}, "editor-missing"),
        ({"EDITOR": "'vi"}, "editor-missing"),
        ({"EDITOR": "./vi"}, "editor-missing"),
        ({"VISUAL": "/bin/false"}, "editor-failed"),
    ],
)
def test_without_a_working_editor_nothing_changes(
    single: Project, environ: dict[str, str], error: str
) -> None:
    (single.root / "vi").write_text("#!/bin/sh\n")
    (single.root / "vi").chmod(0o755)
    before = single.tree()

    with Terminal(single, "resume", "7", "-e", "--yes", extra=environ) as terminal:
        assert terminal.end() == 2

    assert f"error[{error}]" in terminal.text
    assert "next: " in terminal.text
    assert_unchanged(single, before)


def kept_text(terminal: Terminal) -> str:
    """The text in the file that the terminal names."""
    found = re.search(r"our text is in (\S+\.txt)", terminal.text)
    assert found is not None, terminal.text
    kept = Path(found[1])
    text = kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
    kept.unlink()
    return text


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ('echo "A long reason" >> "$2"; exit 1', "editor-failed"),
        ("printf '%0*d' 10001 7 >> \"$2\"", "reason-too-long"),
    ],
)
def test_a_reason_that_was_saved_and_is_not_used_is_kept(
    single: Project, tmp_path: Path, script: str, error: str
) -> None:
    before = single.tree()

    with Terminal(
        single, "resume", "7", "-e", "--yes", columns=300, extra=editor(tmp_path, script)
    ) as terminal:
        assert terminal.end() == 2

    assert f"error[{error}]" in terminal.text
    text = kept_text(terminal)
    assert text == ("A long reason\n" if error == "editor-failed" else f"{7:010001}\n")
    assert_unchanged(single, before)


def test_a_reason_of_a_refused_command_is_kept(single: Project, tmp_path: Path) -> None:
    assert 0 == single.run("resume", "7", "-m", "first", "--yes").code
    before = single.tree()

    extra = editor(tmp_path, 'echo "A long reason" > "$2"')
    with Terminal(single, "resume", "7", "-e", "--yes", columns=300, extra=extra) as terminal:
        assert terminal.end() == 1

    assert "error[already-active]" in terminal.text
    assert kept_text(terminal) == "A long reason\n"
    assert before == single.tree()


@pytest.mark.parametrize("source", ["-F", "-m", "-"])
def test_a_reason_in_another_encoding_is_refused(
    single: Project, tmp_path: Path, source: str
) -> None:
    file, before = tmp_path / "why.txt", single.tree()
    file.write_bytes(reason := "Schöner Grund".encode("latin-1"))

    words: dict[str, list[str | bytes]]
    words = {"-F": ["-F", str(file)], "-m": ["-m", reason], "-": ["-m", "-"]}
    with file.open("rb") as stdin:
        done = subprocess.run(
            [*COLD, "resume", "7", *words[source], "--yes"],
            cwd=single.root,
            env=single.environ,
            stdin=stdin,
            capture_output=True,
            check=False,
        )

    assert (2, b"") == (done.returncode, done.stdout)
    assert b"error[reason-unreadable]" in done.stderr
    assert b"UTF-8: it has the byte 0xf6" in done.stderr
    assert_unchanged(single, before)


def test_a_typed_reason_is_kept_where_python_decodes_ascii_alone(single: Project) -> None:
    ascii_alone = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    done = subprocess.run(
        [*COLD, "resume", "7", "--reason", "Schöner Grund".encode(), "--yes", "--offline"],
        cwd=single.root,
        env=single.environ | ascii_alone,
        capture_output=True,
        check=False,
    )

    assert 0 == done.returncode, done.stderr
    assert ["Schöner Grund"] == reasons(single)


def test_an_editor_that_fails_unsaved_leaves_no_file(single: Project, tmp_path: Path) -> None:
    environ = {**editor(tmp_path, "exit 1"), "TMPDIR": str(tmp_path)}

    with Terminal(single, "resume", "7", "-e", "--yes", extra=environ) as terminal:
        assert terminal.end() == 2

    assert [] == [*tmp_path.glob("unlatch-*.txt")]


def test_ctrl_c_in_the_editor_keeps_the_text_and_changes_nothing(
    single: Project, tmp_path: Path
) -> None:
    before = single.tree()
    cat = shutil.which("cat")
    extra = editor(tmp_path, f'echo "A long reason" >> "$2"; echo Saved; exec {cat}')

    with Terminal(
        single, "resume", "7", "-e", "--yes", columns=300, extra=extra, program=COLD
    ) as terminal:
        terminal.expect("Saved")
        terminal.interrupt("Interrupted. Nothing was changed.")
        assert terminal.end() == 130

    assert kept_text(terminal) == "A long reason\n"
    assert_unchanged(single, before)


def test_ctrl_c_is_for_the_editor(single: Project, tmp_path: Path) -> None:
    """As with git: an editor that does not end at Ctrl-C goes on, and so does unlatch."""
    extra = editor(
        tmp_path,
        'trap "echo Trapped" INT; echo Ready; while read one; do break; done\n'
        'echo "As edited" > "$2"',
    )

    with Terminal(single, "resume", "7", "-e", "--yes", extra=extra, program=COLD) as terminal:
        terminal.expect("Ready")
        terminal.interrupt("Trapped")
        terminal.type("\n")
        assert terminal.end() == 0, terminal.text

    assert reasons(single) == ["As edited"]


@pytest.mark.parametrize("words", [("resume", "7", "-F", "-"), ("complete", "7", "-m", "-")])
def test_ctrl_c_while_stdin_is_read_changes_nothing(
    single: Project, words: tuple[str, ...]
) -> None:
    before = single.tree()

    with Terminal(single, *words, "--yes") as terminal:
        terminal.expect("Reading the reason from stdin")
        terminal.interrupt("Interrupted. Nothing was changed.")
        assert terminal.end() == 130

    assert_unchanged(single, before)


def test_the_plan_is_confirmed_after_the_edit(single: Project, tmp_path: Path) -> None:
    single.increment("0008-more")
    shown = tmp_path / "shown"
    script = f'/bin/cp "$2" {shown}; echo "As edited" > "$2"'

    with Terminal(single, "resume", "7-8", "-e", extra=editor(tmp_path, script)) as terminal:
        terminal.expect("Continue? [y/N]: ")
        terminal.type("y\n")
        assert terminal.end() == 0, terminal.text

    assert f"# {NAME}: Smart discipline (completed)\n" in shown.read_text()
    assert "# 0008-more: More (completed)\n" in shown.read_text()
    assert reasons(single) == ["As edited"]
    assert WHY not in terminal.text


def test_the_editor_is_at_the_terminal_and_the_document_on_stdout(
    single: Project, tmp_path: Path
) -> None:
    reader, writer = os.pipe()
    environ = editor(tmp_path, '[ -t 1 ] && echo "Editing here"; echo "As edited" > "$2"')
    command = ("resume", "7", "-e", "--yes", "--json")
    with Terminal(single, *command, extra=environ, stdout=writer) as terminal:
        os.close(writer)
        terminal.expect("Editing here")
        assert terminal.end() == 0
    with os.fdopen(reader) as data:
        assert json.load(data)["reopen"]["reason"] == "As edited"


def test_without_a_terminal_no_editor_opens(single: Project) -> None:
    before = single.tree()

    done = single.run("resume", "7", "-e", "--yes")

    assert_refused(done, 2, "not-interactive")
    assert_unchanged(single, before)


@pytest.mark.parametrize(
    "command",
    [
        ("complete", "7", "--yes"),
        ("abandon", "7", "--yes"),
        ("pause", "7"),
        ("github", "close-issue", "7"),
    ],
)
def test_every_command_with_a_reason_opens_the_editor(
    project: Project, tmp_path: Path, command: tuple[str, ...]
) -> None:
    project.increment(status="active", links=project.items("github", finished=False))

    with Terminal(
        project, *command, "-e", extra=editor(tmp_path, 'echo "As edited" > "$2"')
    ) as terminal:
        assert terminal.end() == 0, terminal.text

    assert "As edited" in str([event.get("reason") for event in project.events()])


def test_an_item_alone_is_reopened_with_an_edited_reason(project: Project, tmp_path: Path) -> None:
    project.items("github")
    shown = tmp_path / "shown"
    script = f'/bin/cp "$2" {shown}; echo "As edited" > "$2"'

    with Terminal(
        project, "reopen", "octo/widgets#4", "-e", extra=editor(tmp_path, script)
    ) as terminal:
        assert terminal.end() == 0, terminal.text

    assert "# octo/widgets#4\n" in shown.read_text()
    assert "As edited" in project.comments()["github"][0]


@pytest.mark.parametrize(
    "command",
    [("effort", "reopen", "memory"), ("session", "resume")],
)
def test_efforts_and_sessions_take_an_edited_reason(
    project: Project, tmp_path: Path, command: tuple[str, ...]
) -> None:
    for before in (
        ("effort", "open", "memory"),
        ("effort", "close", "--summary", "Done"),
        ("session", "start", "Memory", "--phase", "Look"),
        ("session", "complete"),
    ):
        assert project.run(*before).code == 0
    words = command if command[0] == "effort" else (*command, "memory")

    with Terminal(
        project, *words, "-e", extra=editor(tmp_path, 'echo "As edited" > "$2"')
    ) as terminal:
        assert terminal.end() == 0, terminal.text

    shown = project.run(command[0], "show", "memory")
    assert "As edited" in shown.out


def answered(project: Project, keys: str) -> None:
    with Terminal(project, "resume", "7", "--yes") as terminal:
        terminal.expect(WHY)
        terminal.type(keys)
        assert terminal.end() == 0, terminal.text


def test_the_arrow_key_brings_earlier_reasons(single: Project, tmp_path: Path) -> None:
    answered(single, f"{REASON}\n")
    single.run("undo", "7", "--yes")
    with Terminal(
        single, "resume", "7", "-e", "--yes", extra=editor(tmp_path, 'printf "A\\nB" > "$2"')
    ) as terminal:
        assert terminal.end() == 0, terminal.text
    single.run("undo", "7", "--yes")
    answered(single, f"{UP}\n")
    single.run("undo", "7", "--yes")
    answered(single, f"{UP}{UP}\n")

    assert reasons(single) == [REASON, "A\nB", "A\nB", REASON]
    (kept,) = (single.home / "state").rglob("reasons")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert not kept.is_relative_to(single.root)


@pytest.mark.parametrize("content", ["", "{}", "[1]", "\xff", "["])
def test_a_damaged_list_of_reasons_is_replaced(single: Project, content: str) -> None:
    answered(single, f"{REASON}\n")
    (kept,) = (single.home / "state").rglob("reasons")
    kept.write_text(content, encoding="latin-1")
    single.run("undo", "7", "--yes")

    answered(single, "Again\n")

    assert reasons(single) == [REASON, "Again"]
    assert kept.read_text() == '["Again"]'
