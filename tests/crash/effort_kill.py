"""Kill each act of a conversation at every boundary, and often its recovery too.

    python -m tests.crash.effort_kill [--every N] [--twice N]

Prints one JSON document: the number of deaths, and the mistakes afterwards. With --twice, those at
every N-th boundary are repeated, and the next turn is killed at each of its boundaries.
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.crash.boundaries import dies, in_fork
from tests.crash.sweep import die_until_the_end, different, report, twice_option
from tests.unlatch_efforts.script import Talk, call, reply

from unlatch.project.workspace import utc_now
from unlatch.worklog.ids import new_ulid
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.llm import ToolCall
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import SEPARATOR, Author
from unlatch_efforts.verify import Problem, check_conversation, check_effort

# The efforts of each project: one is open and active, one concluded.
OPEN, CONCLUDED, NEW = "auth-bug", "db-pool-fix", "query-timeouts"
MESSAGE, AFTER, SUMMARY = "Important", "After", "Fixed 401 errors."
ACTS: dict[str, ToolCall | None] = {
    "talk": None,
    "open": call("open_effort", name=NEW),
    "conclude": call("conclude_effort", effort_id=OPEN, summary=SUMMARY),
    "reopen": call("reopen_effort", id=CONCLUDED),
    "expand": call("expand_effort", id=CONCLUDED),
}
# The status of the efforts, and the active one, after each act has come to its end.
ENDS = {
    "talk": ({OPEN: "open", CONCLUDED: "concluded"}, OPEN),
    "open": ({OPEN: "open", CONCLUDED: "concluded", NEW: "open"}, NEW),
    "conclude": ({OPEN: "concluded", CONCLUDED: "concluded"}, None),
    "reopen": ({OPEN: "open", CONCLUDED: "open"}, CONCLUDED),
    "expand": ({OPEN: "open", CONCLUDED: "concluded"}, OPEN),
}


@dataclass(frozen=True)
class Place:
    """A project in a folder, and the bytes of its logs as they were."""

    root: Path
    before: dict[Path, bytes]

    @property
    def store(self) -> EffortStore:
        return EffortStore(self.root / ".unlatch" / "efforts", Author("ada", utc_now, new_ulid))

    def say(self, text: str, tool: ToolCall | None = None) -> None:
        """A turn of the conversation."""
        replies = [reply("So", tool), reply("Done")] if tool else [reply("Ok")]
        Talk(self.store)(text, *replies)


def logs(root: Path) -> Iterator[Path]:
    for name in ("log.jsonl", "ambient.jsonl", "events.jsonl"):
        yield from (path.relative_to(root) for path in root.rglob(name))


def make_template(root: Path) -> None:
    (root / ".unlatch").mkdir(parents=True)
    place = Place(root, {})
    place.say("Small talk")
    for name in (CONCLUDED, OPEN):
        place.say(f"Begin {name}", call("open_effort", name=name))
        place.say(f"More of {name}")
        if name == CONCLUDED:
            done = call("conclude_effort", effort_id=name, summary="Raised the pool.")
            place.say("Close it", done)


def copied(template: Path, root: Path) -> Place:
    shutil.copytree(template, root)
    return Place(root, {path: (root / path).read_bytes() for path in logs(root)})


def problems(place: Place, name: str, recovered: int) -> list[str]:
    """Everything that is wrong after a death, one more message, and the act once more."""
    if recovered:
        return [f"recovery: {recovered}"]
    wanted, active = ENDS[name]
    store = place.store
    logged = messages(place.root)
    facts: dict[str, tuple[object, object]] = {
        "earlier bytes": (True, kept(place)),
        "verified": ([], unproved(store)),
        "status": (wanted, {one.id: one.status.value for one in store.all()}),
        "active": (active, Conversation(store).state().active),
        "separators": (int(name == "reopen"), logged.pop(SEPARATOR, 0)),
        "message": (True, logged.pop(MESSAGE, 0) in {1, 2}),
        "next message": (True, logged.pop(AFTER, 0) in {1, 2}),
        "repeated": ([], [text for text, count in logged.items() if count > 1]),
        "private": ({0o600}, modes(place.root)),
        "left over": ([], left_over(store)),
    }
    return different(facts)


def kept(place: Place) -> bool:
    return all(
        (place.root / path).read_bytes().startswith(was) for path, was in place.before.items()
    )


def unproved(store: EffortStore) -> list[Problem]:
    """Problems of logs, and of files derived from events."""
    found = [one for name in store.names() for one in check_effort(store, name)]
    return found + check_conversation(Conversation(store))


def messages(root: Path) -> Counter[str]:
    """How often each message of the user is in the logs, and the separator."""
    found = [path for path in logs(root) if path.name != "events.jsonl"]
    lines = [json.loads(one) for path in found for one in (root / path).read_bytes().splitlines()]
    return Counter(one["content"] for one in lines if one["role"] in {"user", "system"})


def modes(root: Path) -> set[int]:
    files = (path for path in root.rglob("*") if path.is_file() and path.name != ".gitignore")
    return {path.stat().st_mode & 0o777 for path in files if not path.name.endswith(".lock")}


def left_over(store: EffortStore) -> list[str]:
    """Files of dead writers that the next change of an effort does not remove."""
    for name in store.names():
        with store.transcript(name).lock():
            pass
    return [one.name for one in store.root.rglob("*.tmp")]


def recover(place: Place, name: str) -> None:
    """Act as a person after a death: continue, and ask again."""
    place.say(AFTER)
    place.say(MESSAGE, ACTS[name])
    if name == "reopen":  # the error of an effort that is open names this step
        place.say("Switch to it", call("switch_effort", id=CONCLUDED))


class Sweep:
    """The deaths of all acts, in copies of one project."""

    def __init__(self, folder: Path) -> None:
        self._template, self._root = folder / "template", folder / "project"
        self.deaths: Counter[str] = Counter()
        self.wrong: dict[str, list[str]] = {}
        make_template(self._template)

    def trial(self, act: str, number: int, again: int | None) -> bool:
        """Die at a boundary of an act, and of the turn after it; whether the last was died."""
        place = copied(self._template, self._root)
        died = dies(lambda: place.say(MESSAGE, ACTS[act]), number)
        if again:
            died = dies(lambda: place.say(AFTER), again)
        status = in_fork(lambda: recover(place, act))
        if found := problems(place, act, status):
            self.wrong[f"{act} {number} {again or ''}"] = found
        shutil.rmtree(place.root)
        self.deaths[act] += died
        return died


if __name__ == "__main__":
    options = twice_option(__doc__).parse_args()
    with TemporaryDirectory() as folder:
        sweep = Sweep(Path(folder))
        for act in ACTS:
            die_until_the_end(partial(sweep.trial, act), every=options.every, twice=options.twice)
    report({"deaths": sweep.deaths}, sweep.wrong)
