"""Messages and calls that cannot be understood: each is answered."""

import json
import signal
import subprocess
from typing import Any

from tests.cli.mcp.test_mcp import REASON, SNAPSHOT, Talk
from tests.cli.project import Project
from tests.cli.terminal import CTRL_C, Terminal
from tests.warm.client import unlatch

HALF = "\\ud800"


def answers(project: Project, *messages: str) -> list[dict[str, Any]]:
    """The server's answers; one to each message, which may be several lines."""
    with subprocess.Popen(
        [*unlatch(), "mcp", "--allow-writes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=project.root,
        env=project.environ,
        encoding="utf-8",
        bufsize=1,
    ) as server:
        assert server.stdin
        assert server.stdout
        found = []
        for one in messages:
            server.stdin.write(f"{one}\n")
            found.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        assert server.stdout.read() == ""
    return found


def request(text: str, number: str = "3") -> str:
    params = f'{{"name": "search", "arguments": {{"query": "{text}"}}}}'
    return f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", "params": {params}}}'


def test_a_message_that_cannot_be_read_is_answered(project: Project) -> None:
    rows: list[tuple[str, object, int]] = [
        (request(HALF), 3, -32700),
        (request(HALF, '"a"'), "a", -32700),
        (request(HALF, "true"), None, -32700),
        (request("x", f'"{HALF}"'), None, -32700),
        (f'{{"id": "{HALF}", "method": "ping"}}', None, -32700),
        (request("\\ud83d\\ud83d\\ude00"), 3, -32700),
        ('{"jsonrpc": "2.0", "id": 3, "method"', None, -32700),
        ("[" * 100_000, None, -32700),
        ("no JSON", None, -32700),
        ('{"id": 3, "method": "tools/list"}', 3, -32600),
        ('{"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": 4}', 3, -32600),
        ("[]", None, -32600),
        ("4", None, -32600),
    ]

    # A blank line has no answer, and the next message has.
    ping = '\n  \n{"jsonrpc": "2.0", "id": 8, "method": "ping"}'
    *found, last = answers(project, *(line for line, _, _ in rows), ping)

    for answer, (line, number, code) in zip(found, rows, strict=True):
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", number), line[:80]
        assert answer["error"]["code"] == code, line[:80]
        assert answer["error"]["message"].startswith("Invalid ")
    assert last["id"] == 8


INVALID = "invalid arguments of "


def test_wrong_arguments_are_named_with_the_right_ones(project: Project) -> None:
    rows: list[tuple[str, dict[str, Any], str]] = [
        (
            "plan_resume",
            {"increment": "7", "reason": REASON},
            "plan_resume has no argument increment; its arguments: id, reason",
        ),
        (
            "list_increments",
            {"state": "active", "most": 3},
            "list_increments has no arguments state, most; its arguments: status, limit, skip",
        ),
        ("status", {"id": "7"}, "status has no argument id; it has none"),
        ("show_increment", {}, f"{INVALID}show_increment: id: Field required"),
        ("list_increments", {"limit": 500}, f"{INVALID}list_increments: limit: Input should be "),
        ("item_status", {"items": []}, f"{INVALID}item_status: items: List should have at least 1"),
        (
            "plan_reopen",
            {"items": [], "reason": REASON},
            f"{INVALID}plan_reopen: items: List should have at least 1",
        ),
    ]
    talk = Talk(project)
    for tool, arguments, said in rows:
        found = talk.error(tool, **arguments)
        assert f"error[usage]: {said}" in found
        assert "pydantic" not in found


def test_text_that_is_json_arrives_as_it_is(project: Project) -> None:
    """The SDK parses it where a type is not exactly `str` (findings/mcp-json-text.sh)."""
    talk = Talk(project)
    for text in ("null", '["7"]', '{"id": 7}'):
        assert "error[unknown-increment]" in talk.error("show_increment", id=text)
    tools = json.loads(SNAPSHOT.read_text())
    properties = [
        (tool["name"], name, kind)
        for tool in (*tools["work"], *tools["efforts"])
        for name, value in tool["inputSchema"]["properties"].items()
        for kind in value.get("anyOf", ())
    ]
    assert [it for it in properties if "enum" not in it[2] and it[2]["type"] == "string"] == []


def test_ctrl_c_ends_a_server_at_a_terminal(project: Project) -> None:
    with Terminal(project, "mcp") as terminal:
        terminal.type("4\n")
        terminal.answer("-32600", CTRL_C)
        assert terminal.end() == -signal.SIGINT
