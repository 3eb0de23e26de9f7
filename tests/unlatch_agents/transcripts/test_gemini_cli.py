import json
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_agents.transcripts.lines import Json, outline, read_one, write

from unlatch_agents.transcripts import Result, ToolCall, Transcript, Usage

HEADER: Json = {"sessionId": "g1", "projectHash": "f0", "startTime": "2026-11-22T05:46:42.668Z"}


def message(id: str, type: str, content: object, **fields: Any) -> Json:
    return {"id": id, "timestamp": HEADER["startTime"], "type": type, "content": content, **fields}


def asked(id: str, text: str) -> Json:
    return message(id, "user", [{"text": text}])


def call(
    output: str, *, name: str = "run_shell_command", status: str = "success", error: str = ""
) -> Json:
    answer = {"output": output} | ({"error": error} if error else {})
    response = {"functionResponse": {"name": name, "response": answer}}
    return {
        "id": "c1",
        "name": name,
        "args": {"command": "ls"},
        "status": status,
        "result": [response],
    }


def read(tmp_path: Path, *lines: object) -> Transcript:
    return read_one(write(tmp_path / "session-1.jsonl", [HEADER, *lines]))


def test_message_that_was_written_again_counts_once_in_its_first_place(tmp_path: Path) -> None:
    tokens = {"input": 900, "output": 40, "cached": 100, "thoughts": 10, "tool": 3}
    thoughts = [{"subject": "Reading", "description": "calc.py first"}]
    reply = message("m2", "gemini", "Looking.", model="pro", tokens=tokens, thoughts=thoughts)
    answer = [{"functionResponse": {"id": "c1", "response": {"output": "a - b"}}}]
    found = read(
        tmp_path,
        asked("m1", "Fix add"),
        {"$set": {"lastUpdated": "2026-11-22T05:46:43Z"}},
        reply,
        message("m3", "user", answer),
        reply | {"toolCalls": [call("a - b")]},
    )
    expected = ["> Fix add", "thought", "Looking.", "run_shell_command: a - b"]
    assert outline(found.events) == expected
    assert [it.key for it in found.events] == ["m1", "m2:thought-0", "m2", "m2:call-0"]
    assert found.usage == Usage(803, 50, 100)
    assert (found.id, found.title, found.model) == ("g1", "Fix add", "pro")
    assert not found.unknown


def test_older_form_is_one_object(tmp_path: Path) -> None:
    whole = {**HEADER, "directories": ["/home/dev/demo"], "summary": "Adding"}
    whole["messages"] = [asked("m1", "Fix add"), message("m2", "gemini", "Done.")]
    for indent in (None, 2):
        path = tmp_path / "session-1.json"
        path.write_text(json.dumps(whole, indent=indent))
        found = read_one(path)
        assert outline(found.events) == ["> Fix add", "Done."]
        assert (found.title, found.cwd) == ("Adding", "/home/dev/demo")


def test_words_of_the_program_are_no_prompt(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        asked("m1", "<session_context>\nThis is the Gemini CLI."),
        message("m2", "user", [{"text": "Explain"}, {"text": "<hook_context>x</hook_context>"}]),
        message("m3", "user", [{"text": "whole file"}], displayContent=[{"text": "@calc.py"}]),
        message("m4", "user", "as a text"),
        asked("m5", "<hook_context>a &lt;b&gt;</hook_context>\n\nGlued to it"),
        asked("m6", "What is <hook_context>x</hook_context>?"),
    )
    texts = (
        "Explain",
        "@calc.py",
        "as a text",
        "Glued to it",
        "What is <hook_context>x</hook_context>?",
    )
    assert outline(found.events) == [f"> {it}" for it in texts]


FILE = "no, use cookies\n--- End of content ---\nno, use cookies"


def cancelled(why: str, output: str = "") -> Json:
    return call(output, status="cancelled", error=f"[Operation Cancelled] {why}")


# Without a terminal 0.61.0 offers no tool that it would have to ask about.
DENIED = 'Tool "run_shell_command" not found.'


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call("Output: x\nExit Code: 4\nProcess Group PGID: 1"), (True, False, 4)),
        (call("Output: x\nProcess Group PGID: 1"), (False, False, None)),
        (call("Exit Code: 4", name="read_file"), (False, False, None)),
        (call("Exit Code: 4\n" + "x" * 400), (False, False, None)),
        (call("no such file", status="error"), (True, False, None)),
        (call("", status="cancelled"), (True, True, None)),
        (cancelled("Reason: User denied execution."), (True, True, None)),
        (cancelled("Reason: User did not allow tool call"), (True, True, None)),
        # The person stopped them.
        (cancelled("User cancelled tool execution.", "x\nExit Code: 4\n"), (False, False, None)),
        (cancelled("Operation cancelled."), (False, False, None)),
        (cancelled("Reason: Operation cancelled by user"), (False, False, None)),
        (call(f"{DENIED} Did you mean one of: ...?", status="error"), (True, False, None)),
    ],
)
def test_status_and_exit_code_say_whether_a_call_failed(
    tmp_path: Path, made: Json, expected: tuple[bool, bool, int | None]
) -> None:
    (event,) = read(tmp_path, message("m1", "gemini", "", toolCalls=[made])).events
    assert isinstance(event, ToolCall)
    assert event.result is not None
    assert (event.result.failed, event.result.rejected, event.result.exit_code) == expected
    assert event.result.denied is event.result.text.startswith(DENIED)


def test_calls_of_a_rewritten_file_are_in_the_content(tmp_path: Path) -> None:
    parts = [
        {"text": "secret thought", "thought": True},
        {"text": "Looking."},
        {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a"}}},
        {"functionCall": {"id": "c2", "name": "read_file", "args": {"path": "b"}}},
    ]
    answer = [{"functionResponse": {"id": "c1", "response": {"error": "no such file"}}}]
    found = read(tmp_path, message("m1", "gemini", parts), message("m2", "user", answer))
    assert outline(found.events) == ["Looking.", "read_file: no such file", "read_file"]


def test_person_who_goes_back_leaves_a_branch(tmp_path: Path) -> None:
    tokens = {"input": 5, "output": 1}
    found = read(
        tmp_path,
        asked("m1", "one"),
        asked("m2", "two"),
        message("m3", "gemini", "wrong", tokens=tokens),
        {"$rewindTo": "m3"},
        {"$rewindTo": "m2"},
        asked("m4", "better"),
        {"$rewindTo": "unknown"},
    )
    assert outline(found.events) == ["> one", "-2", "> better"]
    assert found.usage == Usage(5, 1)
    assert found.unknown == {"rewind to an unknown message": 1}


def test_cancelled_request_is_an_interruption(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        message("m1", "info", "Request cancelled."),
        message("m2", "info", "Update available"),
        message("m3", "hologram", "x"),
        {"what": "is this"},
    )
    assert outline(found.events) == ["interruption"]
    assert found.unknown == {"hologram": 1, "line of an unknown type": 1}


def test_subagents_are_in_the_folder_of_the_chat_and_its_project_above(tmp_path: Path) -> None:
    chats = tmp_path / "demo" / "chats"
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / ".project_root").write_text("/home/dev/demo\n")
    agent = [{**HEADER, "sessionId": "q1", "kind": "subagent"}, asked("m1", "Look")]
    write(chats / "g1" / "q1.jsonl", [*agent, message("m2", "gemini", "I see.")])
    write(chats / "g1" / "q2.json", ["{broken"])
    found = read_one(write(chats / "session-1.jsonl", [HEADER, asked("m1", "Go")]))
    assert found.cwd == "/home/dev/demo"
    assert [(it.id, it.parent, outline(it.events)) for it in found.subagents] == [
        ("q1", "g1", ["I see."])
    ]
    assert found.unknown == {"agent's file that cannot be read": 1}


@pytest.mark.parametrize("id", ["..", "*", "../other", ""])
def test_id_of_a_chat_names_no_other_folder(tmp_path: Path, id: str) -> None:
    write(tmp_path / "chats" / "other" / "q1.jsonl", [HEADER, asked("m1", "Look")])
    path = write(tmp_path / "chats" / "session-1.jsonl", [{**HEADER, "sessionId": id}])
    assert read_one(path).subagents == ()


TOKENS = {"input": 12, "output": 9, "cached": 3}
# A chat of which others are copies.
FIRST = [
    asked("m1", "Fix add"),
    message("m2", "gemini", "Done.", tokens=TOKENS),
    message("m3", "gemini", "", tokens=TOKENS),  # no event
]
# A folder of chats, and that of another project.
CHATS, OTHER = (f".gemini/tmp/{name}/chats" for name in ("demo", "other"))


def copied(source: str, *more: Json) -> list[Json]:
    """The lines of a copy of FIRST, made later, which goes on with a prompt."""
    header = HEADER | {"sessionId": "g2", "startTime": "2026-11-23T05:46:42.668Z"}
    note = message("import-1795000000000", "info", f"Imported session from {source}")
    own = (asked("m4", "Try a loop"), message("m5", "gemini", "Fine.", tokens=TOKENS))
    return [header, note, *FIRST, *more, {"$set": {"messages": FIRST}}, *own]


def written_origin(path: Path, *, is_whole: bool = False) -> None:
    whole = json.dumps({**HEADER, "messages": FIRST}, indent=2)
    write(path, [whole] if is_whole else [HEADER, *FIRST])


@pytest.mark.parametrize(
    ("place", "source", "is_whole"),
    [
        (f"{CHATS}/session-1.jsonl", "/home/dev/chats/session-1.jsonl", False),
        (f"{CHATS}/session-1.jsonl", "C:\\chats\\session-1.jsonl", False),
        (f"{OTHER}/session-1.json", "session-1.json", True),  # of an older version
        # The named file is elsewhere, or gone: an older chat with the same messages counts.
        (f"{CHATS}/session-9.jsonl", "/tmp/a chat.json", False),
    ],
)
def test_a_copied_chat_is_a_fork_of_its_origin(
    tmp_path: Path, place: str, source: str, *, is_whole: bool
) -> None:
    written_origin(tmp_path / place, is_whole=is_whole)
    found = read_one(write(tmp_path / CHATS / "session-2.jsonl", copied(source)))
    own = [it for it in found.events if it.key not in found.copies]
    assert (found.origin, found.title) == ("g1", "Try a loop")
    assert outline(own) == ["> Try a loop", "Fine."]
    assert (found.usage, found.copied) == (Usage(9, 9, 3), Usage(18, 18, 6))


@pytest.mark.parametrize("place", [None, f"{CHATS}/session-1.jsonl"])
def test_a_copy_keeps_what_its_origin_has_not(tmp_path: Path, place: str | None) -> None:
    """The origin is lost, or it is another chat of that name."""
    if place:
        write(tmp_path / place, [HEADER, asked("x1", "Something else")])
    lines = copied("/home/dev/session-1.jsonl", asked("m9", "Also this"))
    found = read_one(write(tmp_path / CHATS / "session-2.jsonl", lines))
    assert (found.origin, found.copies, found.copied) == ("", frozenset(), Usage())
    said = ["> Fix add", "Done.", "> Also this", "> Try a loop", "Fine."]
    assert (outline(found.events), found.usage) == (said, Usage(27, 27, 9))
    written_origin(tmp_path / CHATS / "session-1.jsonl")
    found = read_one(tmp_path / CHATS / "session-2.jsonl")
    own = [it for it in found.events if it.key not in found.copies]
    assert outline(own) == ["> Also this", "> Try a loop", "Fine."]


@pytest.mark.parametrize(("end", "code"), [("\nExit Code: 3", 3), ("", None)])
def test_long_output_is_that_of_the_command_and_not_the_path_of_a_file(
    tmp_path: Path, end: str, code: int | None
) -> None:
    """As 0.61.0 records it: start and end, below the path of a file with all."""
    place = "/home/dev/.gemini/tmp/demo/tool-outputs/session-6f/run_shell_command_1.txt"
    cut = "Output too large. Showing first 8,000 and last 32,000 characters. For full output see:"
    kept = f"Output: 1\n\n... [68,000 characters omitted] ...\n\nend{end}\nProcess Group PGID: 1"
    made = call(f"{cut} {place}\n<untrusted_context>\n{kept}\n</untrusted_context>")
    (event,) = read(tmp_path, message("m1", "gemini", "", toolCalls=[made])).events
    assert isinstance(event, ToolCall)
    assert event.result == Result(kept, failed=code is not None, exit_code=code)
