"""A made-up conversation of each agent, with all parts of its format."""

import json
from collections.abc import Callable
from typing import Any

from tests.unlatch_agents.transcripts.lines import Json, Session, calls, said

AT = "2026-11-22T05:45:45.430Z"


def claude_code() -> list[Json]:
    session = Session(cwd="/home/dev/demo", gitBranch="main")
    session.ask("Fix add")
    session.reply("m1", {"type": "thinking", "thinking": "Read it first."})
    first = session.reply("m1", calls("t1", command="cat calc.py"))
    session.reply("m1", calls("t2", command="pytest"))
    session.result("t2", "Exit code 1\n1 failed", is_error=True)
    fork = session.result("t1", "a - b", after=first)
    session.reply("m2", said("Décision: 加 a + b."), after=fork)
    session.ask("No, use sed", after=fork)
    tail = session.reply("m3", said("Done."))
    boundary = {"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}
    session.add("system", after=None, logicalParentUuid=tail, **boundary)
    session.ask("Summary: all is well", isCompactSummary=True)
    return [*session.lines, {"type": "ai-title", "aiTitle": "Adding", "sessionId": "s1"}]


def codex() -> list[Json]:
    payloads: list[tuple[str, Json]] = [
        ("session_meta", {"id": "t1", "cwd": "/home/dev/demo", "git": {"branch": "main"}}),
        ("event_msg", {"type": "task_started"}),
        ("turn_context", {"model": "gpt"}),
        ("response_item", _message("user", "Fix add")),
        ("event_msg", _completed("UserMessage", content=[{"text": "Fix add"}])),
        ("response_item", {"type": "reasoning", "summary": [{"text": "Look."}]}),
        ("response_item", _call("c1", "pytest")),
        ("event_msg", _completed("CommandExecution", id="c1", exit_code=1)),
        ("response_item", {"type": "function_call_output", "call_id": "c1", "output": "1 failed"}),
        ("event_msg", _tokens(100)),
        ("event_msg", {"type": "task_started"}),
        ("event_msg", _completed("UserMessage", content=[{"text": "Wrong: 加"}])),
        ("response_item", _message("assistant", "Sorry.")),
        ("event_msg", _tokens(200)),
        ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
        ("event_msg", {"type": "turn_aborted", "reason": "interrupted"}),
        ("compacted", {"message": "All is well."}),
    ]
    return [
        {"timestamp": AT, "ordinal": at, "type": kind, "payload": payload}
        for at, (kind, payload) in enumerate(payloads)
    ]


def _message(role: str, text: str) -> Json:
    return {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}


def _completed(kind: str, **item: Any) -> Json:
    return {"type": "item_completed", "item": {"type": kind, **item}}


def _call(id: str, command: str) -> Json:
    given = json.dumps({"cmd": command})
    return {"type": "function_call", "name": "exec", "arguments": given, "call_id": id}


def _tokens(count: int) -> Json:
    total = {"input_tokens": count, "cached_input_tokens": count // 2, "output_tokens": count}
    return {"type": "token_count", "info": {"total_token_usage": total}}


def gemini_cli() -> list[Json]:
    header: Json = {"sessionId": "g1", "projectHash": "f0", "startTime": AT, "kind": "main"}
    tokens = {"input": 90, "output": 4, "cached": 10, "thoughts": 1}
    reply: Json = {"id": "m2", "timestamp": AT, "type": "gemini", "content": "加", "tokens": tokens}
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "ls"}, "status": "error"}
    return [
        header,
        {"id": "m1", "timestamp": AT, "type": "user", "content": [{"text": "Fix add"}]},
        reply,
        reply | {"toolCalls": [call]},
        {"id": "m3", "timestamp": AT, "type": "user", "content": [{"text": "Wrong"}]},
        reply | {"id": "m4"},
        {"$rewindTo": "m3"},
        {"id": "m5", "timestamp": AT, "type": "info", "content": "Request cancelled."},
        {"$set": {"messages": [{"id": "x", "type": "user", "content": "<state_snapshot>s"}]}},
    ]


def aider() -> str:
    return (
        "# aider chat started at 2024-08-05 19:33:32\n\n> Aider v0.47.2-dev  \n"
        "> Models: claude with diff  \n\n#### Fix add  \n\nDécision: 加.\n\n"
        "> Tokens: 5,244 sent, 604 received. Cost  \n> Applied edit to calc.py  \n\n"
        "# aider chat started at 2024-08-05 20:00:00\n\n#### hi  \n> ^C KeyboardInterrupt  \n"
    )


def _lines(lines: list[Json]) -> bytes:
    texts = (json.dumps(it, ensure_ascii=False, separators=(",", ":")) for it in lines)
    return "".join(f"{it}\n" for it in texts).encode()


EXAMPLES: dict[str, Callable[[], bytes]] = {
    "claude-code": lambda: _lines(claude_code()),
    "codex": lambda: _lines(codex()),
    "gemini-cli": lambda: _lines(gemini_cli()),
    "aider": lambda: aider().encode(),
}
