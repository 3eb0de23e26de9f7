"""The transcripts of five agents."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tests.fuzz.target import SEPARATOR, Target, parts_of
from tests.unlatch_agents.transcripts.examples import EXAMPLES
from tests.unlatch_agents.transcripts.lines import all_of
from tests.unlatch_agents.transcripts.test_robustness import check_readable

from unlatch_agents.transcripts import Transcript

_TIME = {"created": 1000, "updated": 2000}
_SESSION = {"id": "s1", "projectID": "p1", "title": "Fixing", "version": "1.1.9", "time": _TIME}
_MESSAGE = {"id": "m1", "role": "assistant", "modelID": "big", "time": {"created": 1001}}
_TOOL = {
    "type": "tool",
    "callID": "c1",
    "tool": "bash",
    "state": {"status": "completed", "input": {"command": "ls"}, "output": "a"},
}
_TEXT = {"type": "text", "text": "Looking."}


@cache
def _folder() -> Path:
    folder = Path(mkdtemp(prefix="unlatch-fuzz-"))
    for place in ("session/p1", "message/s1", "part/m1", "part/m2"):
        (folder / place).mkdir(parents=True)
    return folder


def _read(data: bytes) -> list[Transcript]:
    path = _folder() / "transcript"
    path.write_bytes(data)
    return check_readable(path)


def _read_storage(data: bytes) -> list[Transcript]:
    """OpenCode's files: a session, two messages, and a part of each."""
    places = ("session/p1/s1", "message/s1/m1", "part/m1/a", "message/s1/m2", "part/m2/b")
    for place, content in zip(places, parts_of(data, len(places)), strict=True):
        (_folder() / f"{place}.json").write_bytes(content)
    return check_readable(_folder() / "session/p1/s1.json")


def _count(transcripts: list[Transcript]) -> int:
    return sum(len(inner.events) for one in transcripts for inner in all_of(one))


def _storage_seed() -> bytes:
    user = {**_MESSAGE, "id": "m2", "role": "user"}
    return SEPARATOR.join(
        json.dumps(one).encode() for one in (_SESSION, user, _TEXT, _MESSAGE, _TOOL)
    )


def _target(read: Callable[[bytes], list[Transcript]], seed: Callable[[], bytes]) -> Target:
    @cache
    def count_of_seed() -> int:
        return _count(read(seed()))

    # Most mutations of one example lose events.
    return Target(read, lambda: [seed()], lambda result: _count(result) > count_of_seed())


TARGETS = {
    **{agent: _target(_read, example) for agent, example in EXAMPLES.items()},
    "opencode": Target(
        _read_storage,
        lambda: [_storage_seed()],
        lambda result: any(one.title != "Fixing" for one in result),
    ),
}
