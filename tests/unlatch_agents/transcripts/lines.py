"""Lines as the agents write them, as short as their meaning allows."""

import json
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from unlatch_agents.transcripts import (
    Branch,
    Event,
    Prompt,
    Reply,
    ToolCall,
    Transcript,
    read_transcripts,
)

Json = dict[str, Any]


def write(path: Path, lines: Iterable[object]) -> Path:
    """Write a file of JSON lines; a text is a line as it is."""
    texts = (it if isinstance(it, str) else json.dumps(it) for it in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{it}\n" for it in texts), encoding="utf-8", errors="surrogatepass")
    return path


def read_one(path: Path) -> Transcript:
    (transcript,) = read_transcripts(path)
    return transcript


def outline(events: Iterable[Event]) -> list[str]:
    """The events in short: `> ` a prompt, `tool` a call, `-2` a branch of two events."""
    return [_short(it) for it in events]


def _short(event: Event) -> str:
    match event:
        case Prompt(text=text):
            return f"> {text}"
        case Reply(text=text):
            return text
        case ToolCall(name=name, result=result):
            return f"{name}: {result.text}" if result else name
        case Branch(dropped=dropped):
            return f"-{dropped}"
    return type(event).__name__.lower()


class Session:
    """Lines of Claude Code, each after the one before it unless `after` names another."""

    def __init__(self, id: str = "s1", **common: object) -> None:
        self.common = {"sessionId": id, "version": "2.1.197", "isSidechain": False, **common}
        self.lines: list[Json] = []
        self.last: str | None = None
        self._numbers = count(1)

    def add(self, type: str, *, after: str | None = "", **fields: object) -> str:
        number = next(self._numbers)
        uuid = f"{self.common['sessionId']}-{number}"
        parent = self.last if after == "" else after
        time = f"2026-11-22T05:{number // 60:02}:{number % 60:02}.000Z"
        line = {"parentUuid": parent, "type": type, "uuid": uuid, "timestamp": time}
        self.lines.append({**line, **self.common, **fields})
        self.last = uuid
        return uuid

    def ask(self, content: object, **fields: Any) -> str:
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def reply(self, message: str, *parts: Json, **fields: Any) -> str:
        """One line with these parts of a message of the model."""
        usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 2}
        usage["cache_creation_input_tokens"] = 1
        whole = {"id": message, "model": "opus", "content": list(parts), "usage": usage}
        return self.add("assistant", message={"role": "assistant", **whole}, **fields)

    def result(self, call: str, content: object, *, is_error: bool = False, **fields: Any) -> str:
        part = {"type": "tool_result", "tool_use_id": call, "content": content}
        fields.setdefault("toolUseResult", {"stdout": "out"})
        return self.ask([part | {"is_error": is_error}], **fields)


def said(text: str) -> Json:
    return {"type": "text", "text": text}


def calls(id: str, name: str = "Bash", **arguments: object) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def all_of(transcript: Transcript) -> Iterator[Transcript]:
    """A transcript and all its subagents."""
    yield transcript
    for inner in transcript.subagents:
        yield from all_of(inner)
