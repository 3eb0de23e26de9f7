"""A reason from a file, from the editor, and from the reasons before."""

import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.cli.refusing import assert_unchanged
from tests.cli.terminal import Terminal
from tests.warm.client import COLD

WHY = "Reason for reopening: "
LONG = "The import fails\n\n#4 shows where:\nline 2"
UP = "\x1b[A"


def reasons(project: Project) -> list[str]:
    return [entry["reason"] for entry in project.metadata()["reopenHistory"]]


def editor(folder: Path, script: str) -> dict[str, str]:
    """An environment with an editor: a shell script, which gets the file as its argument."""
    path = folder / "my editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"EDITOR": f"'{path}' --wait"}


def edit(project: Project, environ: dict[str, str], *words: str) -> tuple[int, Terminal]:
    """Resume 0007, or run another command, with a reason from the editor; its exit code."""
    command = words or ("resume", "7", "--yes")
    with Terminal(project, *command, "-e", columns=300, extra=environ) as terminal:
        code = terminal.end()
    return code, terminal


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("option", ["-m", "--reason", "-F", "--reason-file", "-F -", "--reason -"])
def test_options_file_and_stdin_have_the_reason(
    single: Project, tmp_path: Path, option: str
) -> None:
    file = tmp_path / "why.txt"
    file.write_bytes(b"\xef\xbb\xbf\n" + LONG.replace("\n", "\r\n").encode() + b"\n\n")
    value = LONG if option in ("-m", "--reason") else str(file)
    words = option.split() if " " in option else (option, value)
    single.run("resume", "7", *words, "--yes", "--offline", stdin=LONG).ends(0)
    assert reasons(single) == [LONG]


def test_a_file_that_is_missing_or_too_long_is_refused(single: Project, tmp_path: Path) -> None:
    before, file = single.tree(), tmp_path / "long.txt"
    single.run("resume", "7", "-F", "nowhere.txt", "--yes").ends(
        2, err="'nowhere.txt' does not exist"
    )
    for size, found in (
        (10_001, "10,001 characters"),
        (20_000, "20,000 characters or more"),
        (10 << 20, "or more"),
    ):
        file.write_text("x" * size)
        single.run("resume", "7", "-F", str(file), "--yes").ends(
            2, err=("error[reason-too-long]: the reason has ", f"{found}; at most 10,000 are kept")
        )
    # Only the beginning of an endless file is read.
    single.run("resume", "7", "-F", "/dev/zero", "--yes").ends(2, err="error[reason-unreadable]")
    assert_unchanged(single, before)


def test_two_sources_of_the_reason_are_refused(single: Project) -> None:
    before = single.tree()
    one, two = ("-m", "One"), ("-m", "Two")
    for sources in ((*one, *two), (*one, "-e"), ("-F", "-", "-e"), ("-m", "-", "-F", "-")):
        single.run("resume", "7", *sources, "--yes", stdin="One").ends(
            2, err="give the reason once: --reason, --reason-file or --edit"
        )
    assert_unchanged(single, before)


@pytest.mark.sweep
def test_the_editor_has_the_reason_and_shows_the_context(
    completed: Project, tmp_path: Path
) -> None:
    assert completed.run("resume", "7", "-m", "First\nvim: set sw=4:", "--yes").code == 0
    assert completed.run("complete", "7").code == 0
    shown, text = tmp_path / "shown", LONG.replace("\n", "\\n")
    script = f'[ "$1" = --wait ] && /bin/cp "$2" {shown} && printf "{text}\\n# A comment" > "$2"'

    code, terminal = edit(completed, editor(tmp_path, script))

    assert code == 0, terminal.text
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


def test_an_empty_edit_changes_nothing(single: Project, tmp_path: Path) -> None:
    before = single.tree()
    for script in ("true", "echo '# Nothing' > $2", "echo > $2"):
        code, terminal = edit(single, editor(tmp_path, script))
        assert code == 2, script
        assert "error[reason-missing]: the reason is empty" in terminal.text
    assert_unchanged(single, before)


def test_a_pipe_is_not_read_for_a_question_that_cannot_be_asked(single: Project) -> None:
    single.increment("0008-more")
    before = single.tree()
    a_file, matching = ("-F", "-"), ("--all-matching", "title~smart")
    for words, step in (
        (("7", *a_file), f"unlatch resume {NAME} --reason-file - --yes"),
        (("7", "-m", "-"), f"unlatch resume {NAME} --reason - --yes"),
        (("7-8", *a_file), "repeat with --reason-file - --yes"),
        ((*matching, *a_file), f"unlatch resume {NAME} --reason-file - --yes"),
    ):
        for command in ("resume", "reopen"):
            # It would be refused as binary if it was read.
            single.run(command, *words, stdin="\0").ends(
                2, err=("error[not-interactive]: ", f"next: {step}"), whole_out=""
            )
    assert_unchanged(single, before)


@pytest.mark.parametrize(
    ("words", "status"), [(("7", "--yes"), "completed"), (("7",), "paused"), ((), "completed")]
)
def test_a_pipe_is_read_where_nothing_is_asked(
    project: Project, words: tuple[str, ...], status: str
) -> None:
    project.items("github")
    project.increment(status=status)
    project.run("reopen", *(words or ("octo/widgets#4",)), "-F", "-", stdin=LONG).ends(0)


def test_without_a_working_editor_the_variable_is_named_and_nothing_changes(
    single: Project,
) -> None:
    (single.root / "vi").write_text("#!/bin/sh\n")
    (single.root / "vi").chmod(0o755)
    before = single.tree()

    for visual, program, why in (
        ("/nope", "/bin/true", "missing]: VISUAL names no installed program: /nope\n"),
        ("'vi", "/bin/true", "missing]: VISUAL is no command: no closing quotation\n"),
        ("", "nope -w", "missing]: EDITOR names no installed program: nope\n"),
        ("", "'vi", "missing]: EDITOR is no command: no closing quotation\n"),
        ("", "./vi", "missing]: EDITOR names no installed program: ./vi\n"),
        ("", "", "missing]: VISUAL and EDITOR are not set\n"),
        ("/bin/false", "", "failed]"),
    ):
        code, terminal = edit(single, {"VISUAL": visual, "EDITOR": program})
        assert (code, f"error[editor-{why}" in terminal.text) == (2, True), terminal.text
        assert "next: " in terminal.text
        named = f"next: set {'VISUAL' if visual else 'EDITOR'}, or use --rea"
        assert (named in terminal.text) is why.startswith("missing")

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
    ("script", "failure", "kept"),
    [
        ('echo "A long reason" >> "$2"; exit 1', (2, "editor-failed"), "A long reason\n"),
        ("printf '%0*d' 10001 7 >> \"$2\"", (2, "reason-too-long"), f"{7:010001}\n"),
        ('echo "A long reason" > "$2"', (1, "already-active"), "A long reason\n"),
    ],
    ids=["failed", "too long", "refused"],
)
def test_a_reason_that_was_saved_and_is_not_used_is_kept(
    single: Project, tmp_path: Path, script: str, failure: tuple[int, str], kept: str
) -> None:
    if failure[1] == "already-active":
        assert 0 == single.run("resume", "7", "-m", "first", "--yes").code
    before = single.tree()
    code, terminal = edit(single, editor(tmp_path, script))
    assert (code, f"error[{failure[1]}]" in terminal.text) == (failure[0], True)
    assert kept_text(terminal) == kept
    assert before == single.tree()


@pytest.mark.sample(at=(2,))
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
    code, _ = edit(single, {**editor(tmp_path, "exit 1"), "TMPDIR": str(tmp_path)})
    assert (2, []) == (code, [*tmp_path.glob("unlatch-*.txt")])


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
        terminal.answer("Continue? [y/N]: ", "y\n")
        assert terminal.end() == 0, terminal.text
    assert f"# {NAME}: Smart discipline (completed)\n" in shown.read_text()
    assert "# 0008-more: More (completed)\n" in shown.read_text()
    assert reasons(single) == ["As edited"]
    assert WHY not in terminal.text


AS_EDITED = 'echo "As edited" > "$2"'


def test_an_item_alone_is_reopened_with_an_edited_reason(project: Project, tmp_path: Path) -> None:
    project.items("github")
    environ = editor(tmp_path, f'/bin/cp "$2" {tmp_path}/shown; {AS_EDITED}')
    code, terminal = edit(project, environ, "reopen", "octo/widgets#4")
    assert code == 0, terminal.text
    assert "# octo/widgets#4\n" in (tmp_path / "shown").read_text()
    assert "As edited" in project.comments()["github"][0]


def test_efforts_and_sessions_take_an_edited_reason(project: Project, tmp_path: Path) -> None:
    for before in (
        ("effort", "open", "memory"),
        ("effort", "close", "--summary", "Done"),
        ("session", "start", "Memory", "--phase", "Look"),
        ("session", "complete"),
    ):
        assert project.run(*before).code == 0
    for words in (("effort", "reopen", "memory"), ("session", "resume", "memory")):
        code, terminal = edit(project, editor(tmp_path, AS_EDITED), *words)
        assert code == 0, terminal.text
        assert "As edited" in project.run(words[0], "show", "memory").out


def answered(project: Project, keys: str) -> None:
    with Terminal(project, "resume", "7", "--yes", "--offline") as terminal:
        terminal.answer(WHY, keys)
        assert terminal.end() == 0, terminal.text


def test_the_arrow_key_brings_earlier_reasons(single: Project, tmp_path: Path) -> None:
    undo = ("undo", "7", "--yes", "--offline")
    answered(single, f"{REASON}\n")
    single.run(*undo)
    code, terminal = edit(single, editor(tmp_path, 'printf "A\\nB" > "$2"'))
    assert code == 0, terminal.text
    single.run(*undo)
    answered(single, f"{UP}\n")
    single.run(*undo)
    answered(single, f"{UP}{UP}\n")

    assert reasons(single) == [REASON, "A\nB", "A\nB", REASON]
    (kept,) = (single.home / "state").rglob("reasons")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert not kept.is_relative_to(single.root)


def test_a_damaged_list_of_reasons_is_replaced(single: Project) -> None:
    answered(single, f"{REASON}\n")
    (kept,) = (single.home / "state").rglob("reasons")
    for content in ("", "{}", "[1]", "\xff", "["):
        kept.write_text(content, encoding="latin-1")
        single.run("undo", "7", "--yes", "--offline")
        answered(single, "Again\n")
        assert kept.read_text() == '["Again"]', content
    assert reasons(single) == [REASON, *["Again"] * 5]
