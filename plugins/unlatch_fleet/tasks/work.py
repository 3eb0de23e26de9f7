"""What a row says of a task, and what a node says of its worker. Neither side trusts the other."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from unlatch.patterns import pattern
from unlatch.worklog.json_text import load_json
from unlatch_runs.dispatch.port import End, Ended, Role
from unlatch_runs.dispatch.protocol import Checkpoint, Done, Failed, Message, Noise, Question, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping


# Of `Work`; a node leaves rows with a higher one alone.
VERSION = 1
_COMMIT = pattern(r"[0-9a-f]{40,64}")
# Only branches below this name are pushed to; git checks the rest.
_BRANCH = pattern(r"(unlatch/[A-Za-z0-9][\w.-]{0,150}/[A-Za-z0-9][\w.-]{0,99})?")


def _commit(value: str) -> str:
    if not _COMMIT.fullmatch(value):
        raise ValueError("not the id of a commit")
    return value


def _branch(value: str) -> str:
    if not _BRANCH.fullmatch(value):
        raise ValueError("not the branch of a task")
    return value


def _folder(value: str) -> str:
    path = PurePosixPath(value)
    if path.is_absolute() or {"..", ".git"} & {*path.parts}:
        raise ValueError("not a folder inside the repository")
    return value


_Commit = Annotated[str, AfterValidator(_commit)]
_KINDS: Mapping[str, type[Message]] = {
    kind.__name__.lower(): kind for kind in (Checkpoint, Question, Done, Failed, Usage, Noise)
}


class Work(BaseModel):
    """A dispatch, as its row describes it.

    Args:
        worker: the argument list of a developer.
        folder: the place of the project in its repository; empty, or it ends with a slash.
        timeout: seconds.
    """

    model_config = ConfigDict(frozen=True, strict=True)

    task: Annotated[str, Field(max_length=200)]
    role: Annotated[Role, Field(strict=False)]
    text: str
    commit: _Commit
    branch: Annotated[str, AfterValidator(_branch)]
    needs: Annotated[tuple[_Commit, ...], Field(strict=False)]
    variables: Annotated[tuple[str, ...], Field(strict=False)]
    worker: Annotated[tuple[str, ...], Field(strict=False)]
    folder: Annotated[str, AfterValidator(_folder)]
    timeout: Annotated[float, Field(gt=0)]

    @property
    def programs(self) -> list[tuple[str, ...]]:
        """The argument lists that this starts; ValueError: an audit that cannot be read."""
        if self.role is Role.DEVELOPER:
            return [self.worker]
        audit = load_json(self.text)
        commands = [*audit["commands"], *([audit["auditor"]] if audit["auditor"] else [])]
        if not all(isinstance(word, str) for argv in commands for word in argv):
            raise ValueError("not a list of commands")
        return [tuple(argv) for argv in commands]


def dump_work(work: Work) -> str:
    """A dispatch as JSON of ASCII."""
    return json.dumps(work.model_dump(mode="json"))


def dump_message(message: Message) -> str:
    """A message as JSON of ASCII."""
    return json.dumps({"type": type(message).__name__.lower(), **asdict(message)})


def load_message(text: str) -> Message:
    """The message of `dump_message`."""
    fields: dict[str, Any] = load_json(text)
    kind = _KINDS[fields.pop("type")]
    if "options" in fields:
        fields["options"] = tuple(fields["options"])
    return kind(**fields)


def dump_end(ended: Ended, messages: int) -> str:
    """An end and the number of messages before it."""
    return json.dumps({**asdict(ended), "messages": messages})


def load_end(text: str) -> tuple[Ended, int]:
    """The end of `dump_end`, and the number of messages before it."""
    fields: dict[str, Any] = load_json(text)
    messages = fields.pop("messages")
    return Ended(**{**fields, "end": End(fields["end"])}), messages
