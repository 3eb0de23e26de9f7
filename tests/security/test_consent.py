"""What a person agrees to is shown as it is: nothing is left out, and nothing moves."""

import json
import os
import shlex
import subprocess
import sys
import unicodedata

import pytest
from tests.cli.mcp.test_mcp import REASON, Talk
from tests.cli.project import Project
from tests.cli.terminal import Terminal

from unlatch.cli.render.diff import diff_of, show_diff
from unlatch.worklog.text.neutral import command_line

PLAN = """\
### Task 1-1: Look
**Work**: Look.
**Acceptance Criteria**:
- [ ] `{command}`
**Blocked By**: none
"""
# By what they do: the characters, and how they are shown.
DECEPTIONS = {
    "not seen": ("py\u200btest x", r"$'py\u200btest' x"),
    "a tag": ("sh \U000e0041", r"sh $'\U000e0041'"),
    "a joiner between letters of a script": ("sh \u0645\u200c\u0645", "sh $'\u0645\\u200c\u0645'"),
    "a selector behind an emoji": ("sh \u2764\ufe0f", "sh $'\u2764\\ufe0f'"),
    "another direction": ("sh \u202ehs.x", r"sh $'\u202ehs.x'"),
    "end of a line": ("sh a\u2028b", r"sh $'a\u2028b'"),
    "control": ("sh '\x1b[8mx'", r"sh $'\x1b[8mx'"),
    "another blank": ("sh a\u00a0b", r"sh $'a\u00a0b'"),
    "several spaces": ("sh 'a   b'", r"sh $'a \x20\x20b'"),
    "words or one word": ("sh 'a b' c", "sh 'a b' c"),
    "a command of Azure": ("sh '##[x'", r"sh $'#\x23[x'"),
}
BLANK = ("Cc", "Cs", "Co", "Zl", "Zp", "Zs")
DIRECTIONS = ("BN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
SHAPES = range(0x13430, 0x13440)  # of hieroglyphs
WORKER = shlex.join((sys.executable, "-c", 'print(\'{"type": "done"}\')'))


def write_plan(project: Project, command: str) -> None:
    (project.root / "plan.md").write_text(PLAN.format(command=command), encoding="utf-8")


@pytest.mark.parametrize("name", DECEPTIONS)
def test_commands_of_a_plan_are_shown_word_by_word(project: Project, name: str) -> None:
    command, shown = DECEPTIONS[name]
    write_plan(project, command)

    done = project.run("run", "start", "plan.md", "--worker", WORKER)

    assert 2 == done.code
    assert f"  - {shown}\n" in done.err
    as_json = project.run("run", "start", "plan.md", "--worker", WORKER, "--json")
    assert [shown] == as_json.document["error"]["problems"]


def test_commands_of_a_plan_that_changed_are_shown_alike(project: Project) -> None:
    write_plan(project, "false")
    assert 3 == project.run("run", "start", "plan.md", "--worker", WORKER, "--yes").code
    command, shown = DECEPTIONS["not seen"]
    write_plan(project, command)

    for words in ("agree",), ("resume", "--reason", REASON), ("recover",):
        done = project.run("run", *words)

        assert (2, True) == (done.code, f"  - {shown}\n" in done.err), done.said


def test_the_prompt_shows_the_command_that_would_run(project: Project) -> None:
    command, shown = DECEPTIONS["not seen"]
    write_plan(project, f"{command} 'a  b'")

    with Terminal(project, "run", "start", "plan.md", "--worker", WORKER) as terminal:
        terminal.expect("Run them?")
        text = terminal.text
        terminal.type("n\r")

    assert f"  {shown} $'a \\x20b'" in text
    assert "\u200b" not in text


def test_a_shell_takes_what_is_shown_for_the_same_words() -> None:
    words = [word for command, _ in DECEPTIONS.values() for word in shlex.split(command)]
    words += ["", "-n", "it's", r"a\b", r"\u200b", "don't \u200b", "caf\udce9", "\x7f", " x "]

    script = f"printf '%s\\0' {command_line(words)}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )

    assert words == list(map(os.fsdecode, done.stdout.split(b"\0")[:-1]))


def test_no_character_that_is_not_seen_is_shown_as_it_is() -> None:
    unseen = [
        character for character in map(chr, range(1, sys.maxunicode + 1)) if _is_unseen(character)
    ]

    shown = command_line([f"a{character}b" for character in unseen])

    assert {" "} == {*unseen} & {*shown}


def _is_unseen(character: str) -> bool:
    kind, direction = unicodedata.category(character), unicodedata.bidirectional(character)
    # Of the other formats (Cf), some have a shape, such as signs before Arabic numbers.
    has_shape = direction not in DIRECTIONS or ord(character) in SHAPES
    return kind in BLANK or (kind == "Cf" and not has_shape)


NAMED = "0008-dis\u200bcipline"
SHOWN = r"0008-dis\u200bcipline"


@pytest.fixture
def named(project: Project) -> Project:
    """An active increment with an item, whose name has a character that is not seen."""
    project.increment(NAMED, status="active", links=project.items("github"))
    return project


def test_the_question_before_items_are_closed_names_the_increment(named: Project) -> None:
    with Terminal(named, "abandon", "8", "--reason", REASON) as terminal:
        terminal.expect("Continue?")
        text = terminal.text
        terminal.type("n\r")

    assert f"Abandoning {SHOWN} will close 1 item" in text


def test_the_command_of_a_saved_plan_is_shown_as_it_is(named: Project) -> None:
    pause = ("pause", "8", "--reason", "Waits", "--by", "Dana", "--plan-out", "plan.json")
    assert 0 == named.run(*pause).code
    path = named.root / "plan.json"
    path.write_text(path.read_text().replace("Waits", r"Wa\u200bits\u00a0now  so"))

    done = named.run("apply", "plan.json")

    assert 2 == done.code
    assert (
        r"Command: unlatch pause $'--reason=Wa\u200bits\u00a0now \x20so' --by=Dana -- " in done.err
    )


def test_a_checkout_is_named_where_it_is_trusted(project: Project) -> None:
    folder = project.root / "dis\u202ecipline"
    (folder / ".unlatch").mkdir(parents=True)

    done = project.run("agents", "trust", str(folder))

    assert done.out.endswith("/dis\\u202ecipline\n"), done.out


def test_a_diff_leaves_nothing_out(capsys: pytest.CaptureFixture[str]) -> None:
    show_diff(diff_of("a\u200bb", b"x = 1\n", "x = 1 \u202e\x1b[8m\n".encode()))

    shown = capsys.readouterr().out
    assert r"+++ b/a\u200bb" in shown
    assert r"+x = 1 \u202e\x1b[8m" in shown


def test_a_plan_for_an_agent_shows_what_is_not_seen(named: Project) -> None:
    named.run("complete", "8", "--yes")

    plan = Talk(named).result("plan_resume", id="8", reason=REASON)

    assert plan["token"]
    assert "\u200b" not in json.dumps(plan, ensure_ascii=False)
    assert SHOWN == plan["plan"]["increment"]["id"]


def test_a_plan_that_cannot_be_shown_whole_has_no_token(completed: Project) -> None:
    error = Talk(completed).error("plan_resume", id="7", reason="So " + "long " * 1900)

    assert "plan-too-long" in error
