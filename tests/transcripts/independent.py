"""The content of samples, counted with plain JSON, SQL and regular expressions, without unlatch.

Lines are counted one by one: no tree, no branches; a line that is there twice counts once.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_PROGRAM = re.compile(r"<[a-z]+-[a-z-]+>|Caveat: |This session is being continued")


@dataclass(frozen=True)
class Counts:
    """The words of people and models, and numbers; tokens are input, output, read and written."""

    prompts: tuple[str, ...]
    replies: tuple[str, ...]
    thoughts: int
    calls: int
    failures: int
    tokens: tuple[int, int, int, int]

    @property
    def numbers(self) -> tuple[int, int, int, int, int]:
        return len(self.prompts), len(self.replies), self.thoughts, self.calls, self.failures


def objects(path: Path) -> list[dict[str, Any]]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        if isinstance(value, dict):
            found.append(value)
    return found


def _blocks(line: dict[str, Any]) -> list[dict[str, Any]]:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [it for it in content or [] if isinstance(it, dict)]


def claude(path: Path, *, is_agent: bool = False) -> Counts:
    lines = {it.get("uuid", str(at)) + json.dumps(_blocks(it)): it for at, it in
             enumerate(objects(path))}  # fmt: skip
    of = {kind: [it for it in lines.values() if it.get("type") == kind] for kind in
          ("user", "assistant")}  # fmt: skip
    made = [block for line in of["assistant"] for block in _blocks(line)]
    kinds = Counter(it["type"] for it in made)
    ids = {it["id"] for it in made if it["type"] == "tool_use"}
    results = [it for line in of["user"] for it in _blocks(line) if it["type"] == "tool_result"]
    failures = {it["tool_use_id"] for it in results if it.get("is_error")} & ids
    said = [it for it in of["user"] if not it.get("isMeta") and "toolUseResult" not in it]
    texts = [[it for it in _blocks(line) if it["type"] == "text"] for line in said]
    prompts = [[it["text"] for it in parts if not _PROGRAM.match(it["text"])] for parts in texts]
    usage = {it["message"]["id"]: it["message"].get("usage", {}) for it in of["assistant"]}
    keys = ("input_tokens", "output_tokens", "cache_read_input_tokens")
    sums = [
        sum(it.get(key, 0) for it in usage.values())
        for key in (*keys, "cache_creation_input_tokens")
    ]
    return Counts(
        () if is_agent else tuple("\n".join(it) for it in prompts if it),
        tuple(it["text"] for it in made if it["type"] == "text"),
        kinds["thinking"],
        kinds["tool_use"],
        len(failures),
        (sums[0], sums[1], sums[2], sums[3]),
    )


def codex(path: Path) -> Counts:
    items = [it["payload"] for it in objects(path)]
    done = [it["item"] for it in items if it.get("type") == "item_completed"]
    commands = [it for it in done if it["type"] == "CommandExecution"]
    total = Counter[str]()
    for usage in (it["usage"] for it in items if "response_id" in it):
        total.update({key: value for key, value in usage.items() if isinstance(value, int)})
    read = total["cached_input_tokens"]

    def words(kind: str) -> tuple[str, ...]:
        texts = ([part.get("text", "") for part in it["content"]] for it in done
                 if it["type"] == kind)  # fmt: skip
        return tuple("\n".join(it) for it in texts)

    return Counts(
        words("UserMessage"),
        words("AgentMessage"),
        sum(it["type"] == "Reasoning" for it in done),
        path.read_text(encoding="utf-8").count('"type": "function_call",'),
        sum(it["exit_code"] != 0 for it in commands),
        (total["input_tokens"] - read, total["output_tokens"], read, 0),
    )


def gemini(path: Path) -> Counts:
    last = {it["id"]: it for it in objects(path) if "id" in it}
    replies = [it for it in last.values() if it["type"] == "gemini"]
    calls = [call for it in replies for call in it.get("toolCalls", [])]
    users = [it["content"] for it in last.values() if it["type"] == "user"]
    asked = [it for it in users if "functionResponse" not in json.dumps(it)]
    tokens = [it["tokens"] for it in replies]
    read = sum(it["cached"] for it in tokens)
    return Counts(
        tuple("\n".join(part["text"] for part in it) for it in asked),
        tuple(it["content"] for it in replies if it["content"]),
        sum(len(it.get("thoughts", [])) for it in replies),
        len(calls),
        sum(bool(re.search(r"\\nExit Code: [1-9]", json.dumps(it))) for it in calls),
        (
            sum(it["input"] + it.get("tool", 0) for it in tokens) - read,
            sum(it["output"] + it["thoughts"] for it in tokens),
            *(read, 0),
        ),
    )


def opencode(path: Path) -> Counts:
    def rows(query: str) -> list[Any]:
        uri = f"{path.as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            return [it[0] for it in connection.execute(f"SELECT {query}")]

    text = (
        "json_extract(p.data, '$.text') FROM part p JOIN message m ON m.id = p.message_id"
        " WHERE json_extract(p.data, '$.type') = 'text' AND json_extract(m.data, '$.role') = '{}'"
    )
    kind = "count(*) FROM part WHERE json_extract(data, '$.type') = '{}'"
    failed = " AND json_extract(data, '$.state.metadata.exit') <> 0"
    steps = "sum(json_extract(data, '$.tokens.{}')) FROM part WHERE data LIKE '%\"step-finish\"%'"
    sums = [rows(steps.format(it))[0] for it in ("input", "output", "cache.read", "cache.write")]
    return Counts(
        tuple(rows(text.format("user"))),
        tuple(rows(text.format("assistant"))),
        rows(kind.format("reasoning"))[0],
        rows(kind.format("tool"))[0],
        rows(kind.format("tool") + failed)[0],
        (sums[0], sums[1], sums[2], sums[3]),
    )


def aider(path: Path) -> list[Counts]:
    """The chats in which a person said something."""
    text = path.read_text(encoding="utf-8")
    chats = [it for it in text.split("# aider chat started at ") if "\n#### " in it]
    return [_chat(it) for it in chats]


def _chat(chat: str) -> Counts:
    sums = Counter[str]()
    for digits, what in re.findall(r"([\d,]+) (sent|received)", chat):
        sums[what] += int(digits.replace(",", ""))
    # A reply ends with the line that counts its tokens.
    replies = re.findall(r"^#### .*\n+((?:(?!#### )[^\n]*\n)+?)> Tokens: ", chat, re.MULTILINE)
    return Counts(
        tuple(re.findall(r"^#### (.*)", chat, re.MULTILINE)),
        tuple(replies),
        0,
        chat.count("Applied edit to"),
        0,
        (sums["sent"], sums["received"], 0, 0),
    )
