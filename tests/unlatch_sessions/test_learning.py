"""RL Case Generation: the scenarios of the requirement, under their own names."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from tests.unlatch_sessions.conftest import Log

from unlatch.transport.trace import HOME, Masking
from unlatch_sessions.document import read_document
from unlatch_sessions.learning.cases import Cases, CaseType, learn
from unlatch_sessions.learning.export import Format, messages, write_cases
from unlatch_sessions.session_model import Agent

TOKEN = "ghp_" + "a" * 36
# The conversational format of TRL, and what its chat templates need beyond: roles in turn.
CHAT: dict[str, Any] = {
    "type": "object",
    "required": ["messages", "metadata"],
    "properties": {
        "messages": {
            "type": "array",
            "minItems": 2,
            "items": {
                "type": "object",
                "required": ["role", "content"],
                "additionalProperties": False,
                "properties": {
                    "role": {"enum": ["system", "user", "assistant"]},
                    "content": {"type": "string", "minLength": 1},
                },
            },
        },
        "metadata": {"type": "object"},
    },
}


def plain(text: str) -> str:
    return text


def fill(log: Log) -> Cases:
    recorder = log.recorder
    recorder.phase("Research", Agent("coder", "1.2"))
    recorder.call("Read", "package.json", "ok")
    recorder.call("Bash", "npm test", "command not found", failed=True)
    recorder.error("npm is missing")
    recorder.call("Bash", "corepack pnpm test", "12 passed")
    recorder.error("The port is taken", "used port 0")
    recorder.error("Nobody knows")
    recorder.phase("Build", channel="ops")
    recorder.call("Edit", "src/a.py", "ok")
    recorder.user("no, only in b.py", "reverted a.py")
    recorder.call("Edit", "src/b.py", "ok")
    recorder.user("and a test")
    recorder.call("Write", "tests/test_b.py", "ok")
    return learn([log.session], mask=plain)


def test_generate_puzzle_from_failure(log: Log) -> None:
    found = fill(log)
    first, second = [one for one in found.cases if one.type is CaseType.PUZZLE]
    assert first.context == (
        "Fix the login: Research\nRead package.json -> ok\nBash npm test -> failed: "
        "command not found"
    )
    assert (first.given, first.expected) == (
        *("npm is missing", "Bash corepack pnpm test -> 12 passed"),
    )
    assert second.expected == "used port 0"
    assert found.unsolved == 1


def test_generate_from_user_intervention(log: Log) -> None:
    (case,) = [one for one in fill(log).cases if one.type is CaseType.CORRECTION]
    assert (case.given, case.words) == ("Edit src/a.py -> ok", "no, only in b.py")
    assert case.expected == "reverted a.py\nEdit src/b.py -> ok"


HEAD = "---\ntype: session\nsession_id: a\nstatus: completed\n---\n\n# Fix add\n"
IMPORTED = """
## Fix add @agent

*2026-03-02T09:00:00Z*

> [!user]
> "Fix add"

**Tool calls:**
- `Read calc.py` → a - b
- `Edit calc.py` → ok

It adds now.

## no, use sed @agent

> [!user] correction (opening-words)
> "no, use sed"

**Tool calls:**
- `Bash sed calc.py` → ok
- `Bash rm x` → ✗ refused

> [!user] correction (call-refused)
> ""

> [!user] correction (call-refused)
> "never remove x"

Sorry.
"""


def test_corrections_of_an_imported_session_are_about_the_phase_before() -> None:
    first, second = learn([read_document(HEAD + IMPORTED).session], mask=plain).cases
    assert first.context == 'Fix add: Fix add\nuser: "Fix add"'
    assert first.given == "Read calc.py -> a - b\nEdit calc.py -> ok\nIt adds now."
    assert (first.words, first.phase) == ("no, use sed", "phase-2")
    assert first.expected.startswith("Bash sed calc.py -> ok\nBash rm x -> failed: refused")
    assert first.expected.endswith("\nSorry.")
    assert second.words == "never remove x"


def test_words_that_begin_a_session_correct_nothing() -> None:
    text = HEAD + IMPORTED.partition("It adds now.\n")[2]
    assert [one.words for one in learn([read_document(text).session], mask=plain).cases] == [
        "never remove x"
    ]


def test_export_training_data(log: Log) -> None:
    cases = fill(log).cases
    lines = [json.loads(line) for line in write_cases(cases, Format.JSONL).splitlines()]
    assert len(lines) == 3
    for line in lines:
        Draft202012Validator(CHAT).validate(line)
        roles = [one["role"] for one in line["messages"]]
        assert roles == (["user", "assistant"] * 2)[: len(roles)]
        assert {"type", "session", "phase", "agent", "channel", "model"} <= line["metadata"].keys()
    assert [line["metadata"]["channel"] for line in lines] == ["dev", "dev", "ops"]
    markdown = write_cases(cases, Format.MARKDOWN)
    headings = [one for one in MarkdownIt().parse(markdown) if one.type == "heading_open"]
    assert len(headings) == 3
    puzzle = write_cases(cases, Format.PUZZLE)
    assert puzzle.count("<details><summary>Solution</summary>") == 3


def test_secrets_and_home_paths_are_masked(log: Log, tmp_path: Path) -> None:
    log.recorder.phase("Build")
    log.recorder.call("Bash", f"cat {tmp_path}/.env", f"TOKEN {TOKEN}", failed=True)
    log.recorder.error(f"{TOKEN} is refused", f"read {tmp_path}/new")
    masking = Masking(tmp_path)
    (case,) = learn([log.session], mask=masking.text).cases
    texts = json.dumps(messages(case))
    assert TOKEN not in texts
    assert str(tmp_path) not in texts
    assert f"read {HOME}/new" in texts
    assert masking.count == 4


def test_texts_of_others_do_not_break_the_formats(log: Log) -> None:
    log.recorder.phase("Build")
    log.recorder.error("</details>\n## Puzzle x\n```\n\u2028", "```\n# Fixed")
    (case,) = learn([log.session], mask=plain).cases
    assert len(write_cases([case], Format.JSONL).splitlines()) == 1
    for one in (Format.MARKDOWN, Format.PUZZLE):
        tokens = MarkdownIt().parse(write_cases([case], one))
        assert sum(it.type == "heading_open" and it.level == 0 for it in tokens) == 1


def test_a_solution_is_rather_a_call_of_the_program_that_failed(log: Log) -> None:
    log.recorder.phase("Build")
    log.recorder.call("Bash", "pytest -x", "1 failed", failed=True)
    log.recorder.error("A test fails")
    log.recorder.call("Bash", "ls", "a.py")
    log.recorder.call("Bash", "pytest", "1 passed")
    (case,) = learn([log.session], mask=plain).cases
    assert case.expected == "Bash pytest -> 1 passed"
