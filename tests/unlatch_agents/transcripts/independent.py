"""The content of samples, counted with plain JSON, SQL and regular expressions, without unlatch.

Lines are counted one by one: no tree, no branches; a line that is there twice counts once.
"""

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PROGRAM = re.compile(
    r"<[a-z]+-[a-z-]+>|Caveat: |This session is being continued|\[Request interrupted"
)
_STOPPED = re.compile("Exit code 137|Tool call interrupted|The user doesn't want to proceed")

_CONTEXT = re.compile(r"^<hook_context>.*?</hook_context>\n\n")


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


def claude(*paths: Path, is_agent: bool = False) -> Counts:
    """Several files are sessions with forks: a line that was copied counts once."""
    whole = [it for path in paths for it in objects(path)]
    lines = {it.get("uuid", str(at)) + json.dumps(_blocks(it)): it for at, it in
             enumerate(whole)}  # fmt: skip
    of = {kind: [it for it in lines.values() if it.get("type") == kind] for kind in
          ("user", "assistant")}  # fmt: skip
    of["assistant"] = [it for it in of["assistant"] if it["message"]["model"] != "<synthetic>"]
    made = [block for line in of["assistant"] for block in _blocks(line)]
    kinds = Counter(it["type"] for it in made)
    ids = {it["id"] for it in made if it["type"] == "tool_use"}
    ended = [it for it in of["user"] if it.get("entrypoint") != "sdk-cli" or
             not _STOPPED.search(json.dumps(it))]  # fmt: skip
    results = [it for line in ended for it in _blocks(line) if it["type"] == "tool_result"]
    failures = {it["tool_use_id"] for it in results if it.get("is_error")} & ids
    said = [it for it in of["user"] if not it.get("isMeta") and "toolUseResult" not in it]
    texts = [[it for it in _blocks(line) if it["type"] == "text"] for line in said]
    prompts = [[it["text"] for it in parts if not _PROGRAM.match(it["text"])] for parts in texts]
    messages = [it["message"] for it in of["assistant"]]
    # Without tokens where a fork kept them after a compaction.
    messages.sort(key=lambda it: it.get("usage", {}).get("output_tokens", 0))
    usage = {it["id"]: it.get("usage", {}) for it in messages}
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


def codex(*paths: Path) -> Counts:
    items = [it["payload"] for path in paths for it in objects(path)]
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
        sum(path.read_text(encoding="utf-8").count('"type": "function_call",') for path in paths),
        sum(it["exit_code"] > 0 for it in commands),
        (total["input_tokens"] - read, total["output_tokens"], read, 0),
    )


def gemini(*paths: Path) -> Counts:
    last = {it["id"]: it for path in paths for it in objects(path) if "id" in it}
    replies = [it for it in last.values() if it["type"] == "gemini"]
    calls = [call for it in replies for call in it.get("toolCalls", [])]
    users = [it["content"] for it in last.values() if it["type"] == "user"]
    # The first message of a copy is what the program says of itself.
    asked = [it for it in users if not re.search("functionResponse|<session_con", json.dumps(it))]
    asked = [[{"text": _CONTEXT.sub("", part["text"])} for part in it] for it in asked]
    tokens = [it["tokens"] for it in replies]
    read = sum(it["cached"] for it in tokens)
    return Counts(
        tuple("\n".join(part["text"] for part in it) for it in asked),
        tuple(it["content"] for it in replies if it["content"]),
        sum(len(it.get("thoughts", [])) for it in replies),
        len(calls),
        sum(
            it.get("status") == "error"
            or bool(re.search(r"\\nExit Code: [1-9]", json.dumps(it["result"])))
            for it in calls
        ),
        (
            sum(it["input"] + it.get("tool", 0) for it in tokens) - read,
            sum(it["output"] + it["thoughts"] for it in tokens),
            *(read, 0),
        ),
    )


def opencode(path: Path) -> Counts:
    """A fork has messages again, with their times and other ids: they count once.

    A summary is nobody's words, and what a plugin adds is not the person's; both have tokens.
    """
    source = (
        "FROM part p JOIN message m ON m.id = p.message_id WHERE json_extract(p.data, '$.type')"
    )

    def rows(kind: str, what: str, more: str = "") -> list[Any]:
        columns = ", ".join(f"json_extract({it})" for it in (what, "m.data, '$.time.created'"))
        uri = f"{path.as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            query = f"SELECT DISTINCT {columns} {source} = '{kind}' {more}"
            return [it[0] for it in connection.execute(query)]

    def said(role: str) -> tuple[str, ...]:
        of = f"AND json_extract(m.data, '$.role') = '{role}'"
        summary, added = (
            "json_extract(m.data, '$.summary')",
            "json_extract(p.data, '$.synthetic')",
        )
        by_people = f"AND {summary} IS NOT 1 AND {added} IS NOT 1"
        return tuple(rows("text", "p.data, '$.text'", f"{of} {by_people}"))

    failed = "AND json_extract(p.data, '$.state.metadata.exit') <> 0"
    steps = [json.loads(it) for it in rows("step-finish", "p.data, '$.tokens'")]
    sums = [sum(it[key] for it in steps) for key in ("input", "output")]
    cached = [sum(it["cache"][key] for it in steps) for key in ("read", "write")]
    return Counts(
        said("user"),
        said("assistant"),
        len(rows("reasoning", "p.data, '$.text'")),
        len(rows("tool", "p.data, '$.callID'")),
        len(rows("tool", "p.data, '$.callID'", failed)),
        (sums[0], sums[1], cached[0], cached[1]),
    )


def aider(path: Path) -> list[Counts]:
    """The chats in which a person said something."""
    text = path.read_text(encoding="utf-8")
    chats = [it for it in text.split("# aider chat started at ") if "\n#### " in it]
    return [_chat(it) for it in chats]


def sum_of(chats: list[Counts]) -> Counts:
    prompts, replies = ([it for one in chats for it in getattr(one, name)] for name in
                        ("prompts", "replies"))  # fmt: skip
    calls = sum(it.calls for it in chats)
    sums = [sum(it) for it in zip(*(one.tokens for one in chats), strict=True)]
    return Counts(tuple(prompts), tuple(replies), 0, calls, 0, (sums[0], sums[1], 0, 0))


def _chat(chat: str) -> Counts:
    sums = Counter[str]()
    for digits, what in re.findall(r"([\d,]+) (sent|received)", chat):
        sums[what] += int(digits.replace(",", ""))
    # A reply ends with the line that counts its tokens.
    replies = re.findall(r"^#### .*\n+((?:(?!#### )[^\n]*\n)+?)> Tokens: ", chat, re.MULTILINE)
    return Counts(
        tuple(re.findall(r"^#### (.*?) *$", chat, re.MULTILINE)),
        tuple(it.strip() for it in replies),
        0,
        chat.count("Applied edit to"),
        0,
        (sums["sent"], sums["received"], 0, 0),
    )


def counts(agent: str, home: Path) -> Counts:
    """All that a home folder has of an agent, each line and part once."""
    files = sorted(it for it in home.rglob("*") if it.suffix in (".jsonl", ".db")
                   or it.name == ".aider.chat.history.md")  # fmt: skip
    if agent == "opencode":
        return opencode(*files)
    if agent == "aider":
        return sum_of(aider(*files))
    return {"claude-code": claude, "codex": codex, "gemini-cli": gemini}[agent](*files)
