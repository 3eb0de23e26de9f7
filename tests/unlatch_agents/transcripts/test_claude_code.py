import json
from pathlib import Path

import pytest
from tests.unlatch_agents.transcripts.lines import Session, calls, outline, read_one, said, write

from unlatch_agents.transcripts import (
    Compaction,
    Failure,
    Result,
    Thought,
    ToolCall,
    Transcript,
    Usage,
    findings,
)


def read(tmp_path: Path, session: Session, *more: object) -> Transcript:
    return read_one(write(tmp_path / "s1.jsonl", [*session.lines, *more]))


def test_lines_of_one_message_are_its_parts_and_their_tokens_count_once(tmp_path: Path) -> None:
    session = Session(cwd="/home/dev/demo", gitBranch="main")
    session.ask("Fix add")
    session.reply("m1", {"type": "thinking", "thinking": "Read it first."})
    session.reply("m1", said("Let me look."))
    session.reply("m1", calls("t1", command="cat calc.py"))
    session.result("t1", "a - b")
    session.reply("m2", said("Done."))
    found = read(tmp_path, session)
    assert outline(found.events) == ["> Fix add", "thought", "Let me look.", "Bash: a - b", "Done."]
    assert found.events[1] == Thought("s1-2", found.events[1].at, "Read it first.")
    assert found.usage == Usage(20, 10, 4, 2)
    assert (found.id, found.title, found.model) == ("s1", "Fix add", "opus")
    assert (found.cwd, found.branch, found.version) == ("/home/dev/demo", "main", "2.1.197")
    assert (found.started, found.ended) == (found.events[0].at, found.events[-1].at)
    assert not found.unknown


def test_failed_call_has_its_exit_code_and_a_refused_one_says_so(tmp_path: Path) -> None:
    session = Session()
    session.reply("m1", calls("t1"), calls("t2"), calls("t3"))
    session.result("t1", "Exit code 4\nno such file", is_error=True)
    refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    session.result("t2", [said(refusal)], is_error=True)
    session.result("t3", "Exit code 4 is what pytest returns")
    results = [it.result for it in read(tmp_path, session).events if isinstance(it, ToolCall)]
    assert [(it.failed, it.rejected, it.exit_code) for it in results if it] == [
        (True, False, 4),
        (True, True, None),
        (False, False, None),
    ]


def test_long_output_is_that_of_the_command_and_not_the_path_of_a_file(tmp_path: Path) -> None:
    preview = (
        "<persisted-output>\nOutput too large (164.9KB). Full output saved to: /home/dev/x.txt"
    )
    kept = {"stdout": "1\n2\n", "persistedOutputPath": "/home/dev/x.txt"}
    session = Session()
    session.reply("m1", calls("t1"))
    session.result("t1", f"{preview}\n\nPreview (first 2KB):\n1\n", toolUseResult=kept)
    assert outline(read(tmp_path, session).events) == ["Bash: 1\n2\n"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("This command requires approval", "user-rejected"),
        ("Claude requested permissions to use WebFetch, but ... yet.", "user-rejected"),
        ("Permission to use Bash with command make never has been denied.", "permission-rule"),
        ("PreToolUse:Bash hook error: [check]: not today\n", "permission-rule"),
    ],
)
def test_call_that_nobody_was_asked_about_is_denied(tmp_path: Path, words: str, kind: str) -> None:
    """As 2.1.332 records them in `-p`; only the first words of a person's refusal are its own."""
    session = Session()
    session.reply("m1", calls("t1"))
    decision = {"decision": "reject", "source": "config", "reasonCode": "unknown"}
    denied = {"toolDenialKind": kind, "permissionDecision": decision}
    session.result("t1", words, is_error=True, toolUseResult=f"Error: {words}", **denied)
    session.ask("Never mind, tell me the plan")
    found = read(tmp_path, session)
    (call, _) = found.events
    assert isinstance(call, ToolCall)
    assert call.result == Result(words, failed=True, denied=True)
    assert [] == findings(found.events)


NOTICE = """<task-notification>
<task-id>b1</task-id>
<tool-use-id>t1</tool-use-id>
<output-file>/tmp/claude-0/tasks/b1.output</output-file>
<status>{0}</status>
<summary>Background command "run it" {1}</summary>
</task-notification>"""


@pytest.mark.parametrize(
    "line",
    [
        {"type": "queue-operation", "operation": "enqueue", "content": NOTICE},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": NOTICE}},
        {"type": "user", "message": {"role": "user", "content": NOTICE}},
    ],
    ids=lambda line: line["type"],
)
@pytest.mark.parametrize(
    ("status", "end", "code"),
    [
        ("failed", "failed with exit code 3", 3),
        ("failed", "failed", None),
        ("completed", "completed (exit code 0)", None),
    ],
)
def test_call_that_fails_in_the_background_has_failed(
    tmp_path: Path, line: dict[str, object], status: str, end: str, code: int | None
) -> None:
    """As findings/claude-background-call.sh records it: its own result is that it goes on."""
    session = Session()
    session.reply("m1", calls("t1", command="make"))
    started = "Command running in background with ID: b1."
    session.result("t1", started, toolUseResult={"stdout": "", "backgroundTaskId": "b1"})
    ended = json.loads(json.dumps(line).replace("{0}", status).replace("{1}", end))
    events = read(tmp_path, session, ended).events
    (call,) = (it for it in events if isinstance(it, ToolCall))
    failed = status == "failed"
    words = f'{started}\nBackground command "run it" {end}' if failed else started
    assert call.result == Result(words, failed, exit_code=code)
    assert failed == any(isinstance(it, Failure) for it in findings(events))


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ("<command-name>/compact</command-name>", {}),
        ("<local-command-stdout>Set model</local-command-stdout>", {}),
        ("<system-reminder>Be brief</system-reminder>", {}),
        ("<bash-input>ls</bash-input>", {}),
        ("<task-notification>done</task-notification>", {}),
        ([{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}], {}),
        ("Caveat: The messages below were generated by the user while running local commands", {}),
        ("Continue from where you left off", {"isMeta": True}),
        ("A hook's words", {"sourceToolAssistantUUID": "s1-1"}),
        ("Error: no", {"toolUseResult": "Error: no"}),
        ([{"type": "tool_result", "tool_use_id": "t9", "content": "x"}, said("note")], {}),
        ("   ", {}),
        (None, {}),
        (7, {}),
    ],
)
def test_words_of_the_program_are_no_prompt(
    tmp_path: Path, content: object, fields: dict[str, object]
) -> None:
    session = Session()
    session.ask(content, **fields)
    assert read(tmp_path, session).events == ()


def test_words_typed_while_the_agent_worked_are_a_prompt(tmp_path: Path) -> None:
    session = Session()
    session.reply("m1", said("Working."))
    typed = {"type": "queued_command", "commandMode": "prompt", "prompt": "no, use sed"}
    session.add("attachment", attachment=typed)
    session.add("attachment", attachment={**typed, "commandMode": "task-notification"})
    session.add("attachment", attachment={**typed, "origin": {"kind": "agent"}})
    session.add("attachment", attachment={"type": "task_reminder", "prompt": "x"})
    assert outline(read(tmp_path, session).events) == ["Working.", "> no, use sed"]


def test_messages_of_the_program_in_the_name_of_the_model_are_no_reply(tmp_path: Path) -> None:
    session = Session()
    session.reply("m1", said("API Error: 529"))
    session.lines[0]["message"]["model"] = "<synthetic>"
    assert read(tmp_path, session).events == ()


REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected"
INTERRUPTED = "[Request interrupted by user for tool use]"


@pytest.mark.parametrize(
    ("result", "marker", "entrypoint", "expected"),
    [
        (REFUSED, INTERRUPTED, "sdk-cli", (False, False)),  # SIGINT to claude -p
        ("Exit code 137", None, "sdk-cli", (False, False)),  # SIGTERM
        ("Exit code 137", None, "cli", (False, False)),
        ("[Tool call interrupted: the session ended", None, "sdk-cli", (False, False)),
        (REFUSED, INTERRUPTED, "cli", (True, True)),  # a person at the terminal
        (REFUSED, None, "sdk-cli", (True, True)),
        ("Exit code 1", None, "sdk-cli", (True, False)),
    ],
)
def test_call_that_a_signal_stopped_has_not_failed_and_what_follows_corrects_nothing(
    tmp_path: Path, result: str, marker: str | None, entrypoint: str, expected: tuple[bool, bool]
) -> None:
    session = Session(entrypoint=entrypoint)
    session.ask("Wait for it")
    session.reply("m1", calls("t1", command="sleep 60"))
    session.result("t1", result, is_error=True)
    if marker:
        session.ask([said(marker)])
    session.ask("Write a loop for it")
    events = read(tmp_path, session).events
    (call,) = (it.result for it in events if isinstance(it, ToolCall))
    assert call is not None
    assert (call.failed, call.rejected) == expected
    kinds = [type(it).__name__ for it in findings(events)]
    assert kinds == {(True, True): ["Correction"], (True, False): ["Failure"]}.get(expected, [])


def test_person_who_goes_back_leaves_a_branch(tmp_path: Path) -> None:
    session = Session()
    session.ask("First")
    fork = session.reply("m1", said("one"))
    session.ask("Second")
    session.reply("m2", said("wrong"), calls("t1"))
    session.result("t1", "out")
    session.ask("Second, better", after=fork)
    session.reply("m3", said("right"))
    found = read(tmp_path, session)
    expected = ["> First", "one", "-3", "> Second, better", "right"]
    assert outline(found.events) == expected
    assert found.events[2].key == "s1-3:branch"
    assert found.usage.output == 15, "tokens of the branch were spent"


@pytest.mark.parametrize("last", ["two", "three"])
def test_nothing_is_lost_of_a_session_that_is_resumed_twice_at_once(
    tmp_path: Path, last: str
) -> None:
    """2.1.332 goes on below the other's prompt, which it takes for one without an answer."""
    session = Session()
    session.ask("First")
    session.reply("m1", said("one"))
    second = session.ask("Second")
    message = {"id": "m2", "model": "<synthetic>", "content": [said("No response requested.")]}
    session.add("assistant", message={"role": "assistant", **message})
    third = session.ask("Third")
    answers = {"two": second, "three": third}
    for index, words in enumerate(sorted(answers, key=last.__eq__), 3):
        session.reply(f"m{index}", said(words), after=answers[words])
    expected = {"> First", "one", "> Second", "> Third", "two", "three"}
    found = outline(read(tmp_path, session).events)
    assert expected == set(found)
    assert last == found[-1]


def test_cycle_of_parents_ends(tmp_path: Path) -> None:
    session = Session()
    session.ask("one", after="s1-2")
    session.ask("two", after="s1-1")
    session.ask("self", after="s1-3")
    found = outline(read(tmp_path, session).events)
    assert sorted(found) == ["> one", "> self", "> two"]


def test_line_that_was_written_again_counts_once(tmp_path: Path) -> None:
    session = Session()
    session.ask("one")
    session.reply("m1", said("two"))
    found = read(tmp_path, session, *session.lines)
    assert outline(found.events) == ["> one", "two"]
    assert found.usage.output == 5


def test_compaction_has_its_summary_and_the_conversation_before_it(tmp_path: Path) -> None:
    session = Session()
    session.ask("one")
    tail = session.reply("m1", said("two"))
    boundary = {"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}
    session.add("system", after=None, logicalParentUuid=tail, **boundary)
    session.ask("Summary: all is well", isCompactSummary=True)
    session.ask("three")
    found = read(tmp_path, session)
    assert outline(found.events) == ["> one", "two", "compaction", "> three"]
    compaction = found.events[2]
    assert isinstance(compaction, Compaction)
    assert (compaction.trigger, compaction.summary) == ("auto", "Summary: all is well")


def test_sidechains_of_old_files_are_subagents(tmp_path: Path) -> None:
    session = Session()
    session.ask("Go")
    call = session.reply("m1", calls("t1", "Task", prompt="Look around"))
    session.ask("Look around", after=None, isSidechain=True)
    session.reply("m2", said("I see."), isSidechain=True)
    session.result("t1", "I see.", after=call)
    found = read(tmp_path, session)
    (agent,) = found.subagents
    assert outline(found.events) == ["> Go", "Task: I see."]
    assert outline(agent.events) == ["I see."], "the prompt is the other agent's"
    assert (agent.id, agent.parent, agent.title) == ("s1-3", "s1", "Look around")
    assert isinstance(found.events[1], ToolCall)
    assert found.events[1].result is not None
    assert found.events[1].result.subagent == "s1-3"
    assert (found.usage.output, agent.usage.output) == (5, 5)


def test_unknown_types_are_counted(tmp_path: Path) -> None:
    session = Session()
    session.ask("Go")
    session.add("telemetry")
    session.add("telemetry")
    session.reply("m1", {"type": "hologram"}, {"type": "redacted_thinking"})
    session.result("t9", "of a call that is not there")
    found = read(tmp_path, session, "{broken", "[1]", "7", "")
    assert found.unknown == {
        "telemetry": 2,
        "assistant: hologram": 1,
        "result without its call": 1,
        "line that is not JSON": 1,
        "line without an object": 2,
    }


@pytest.mark.parametrize(("lines", "is_lost"), [(6_000, False), (9_000, True)])
def test_end_that_was_not_kept_of_a_long_error_is_said_to_be_missing(
    tmp_path: Path, lines: int, is_lost: bool
) -> None:
    """2.1.332 keeps 30,000 characters of a failed command, and then leaves out their middle."""
    whole = "Exit code 3\n" + "".join(f"{n}\n" for n in range(1, lines + 1))[:30_000]
    cut = f"\n\n... [{len(whole) - 10_000} characters truncated] ...\n\n"
    session = Session()
    session.reply("m1", calls("t1"))
    session.result("t1", f"{whole[:5000]}{cut}{whole[-5000:]}", is_error=True)
    (failure,) = findings(read(tmp_path, session).events)
    assert isinstance(failure, Failure)
    last = failure.text.splitlines()[-1]
    expected = "... [the agent did not keep the end of the output] ..." if is_lost else "6000"
    assert expected == last
