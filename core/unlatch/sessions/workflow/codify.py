"""A workflow from the log of a session.

Phases of one title and agent are one step. Files are data: the step that writes one first creates
it, and later steps that read or change it take it, so the data makes no cycle.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING

from unlatch.sessions.heading import one_line
from unlatch.sessions.markup import cut
from unlatch.sessions.model import CalloutKind, ToolCall
from unlatch.sessions.workflow.model import Branch, Data, Dialect, Node, Workflow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.sessions.model import Agent, Phase, Session

MOST_NODES = 39
_MOST_DATA, _MOST_STEPS, _MOST_BRANCHES = 8, 8, 3
_LONGEST = 100
# The tools of coding agents, in lower case and without separators: Claude Code, Codex, Gemini CLI
# and OpenCode name them so.
_READS = frozenset(
    ("read", "view", "cat", "open", "readfile", "readmanyfiles", "notebookread", "glob", "grep")
)
_WRITES = frozenset(
    (
        *("write", "edit", "multiedit", "create", "applypatch", "patch", "writefile", "replace"),
        *("notebookedit", "strreplace"),
    )
)
_NAME = r"[^\s/\\:*?\"'<>|`,;()\[\]{}]+"
_ABSOLUTE = re.compile(
    rf"(?<![\w.:/~-])(?:~|[A-Za-z]:)?[/\\](?:{_NAME}[/\\])*(?P<name>{_NAME})[/\\]?"
)
_PATH = re.compile(r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w{1,8}|(?:[\w.@+-]+/)+[\w.@+-]+")


@dataclass
class _Step:
    """The phases that are one step."""

    title: str
    agent: Agent | None
    channel: str | None
    phases: list[Phase] = field(default_factory=list)
    count: int = 0  # how often it was begun anew, after another step or after a failure
    titles: int = 1  # the number of steps that were joined in it


def codify(session: Session, dialect: Dialect = Dialect.CRUCIBLE_1) -> Workflow:
    """The workflow of a session, with at most 39 nodes and without absolute paths."""
    steps = _joined(_steps(session.phases))
    names = _unique([_title(one) for one in steps])
    owners = _owners(steps)
    nodes = tuple(_node(steps, names, owners, number) for number in range(len(steps)))
    return Workflow(_without_paths(session.title), dialect, nodes, source=session.id)


def _steps(phases: Iterable[Phase]) -> list[_Step]:
    found: dict[tuple[str, str | None], _Step] = {}
    for phase in phases:
        title = _without_paths(phase.title)
        key = (" ".join(title.casefold().split()), phase.agent.name if phase.agent else None)
        step = found.setdefault(key, _Step(title, phase.agent, phase.channel))
        step.phases.append(phase)
        step.count += 1
    return [*found.values()]


def _joined(steps: list[_Step]) -> list[_Step]:
    """Join the smallest neighbours until there are few enough."""
    while len(steps) > MOST_NODES:
        sizes = [len(one.phases) + len(two.phases) for one, two in pairwise(steps)]
        at = sizes.index(min(sizes))
        one, two = steps[at], steps[at + 1]
        agent = one.agent if one.agent == two.agent else None
        channel = one.channel if one.channel == two.channel else None
        joined = _Step(one.title, agent, channel, [*one.phases, *two.phases], 1)
        joined.titles = one.titles + two.titles
        steps = [*steps[:at], joined, *steps[at + 2 :]]
    return steps


def _title(step: _Step) -> str:
    more = f" and {step.titles - 1} more" if step.titles > 1 else ""
    # A mark at its end would make the step required or optional.
    title = _line(step.title).rstrip("!? ") or "Step"
    return cut(title, _LONGEST - len(more)) + more


def _unique(titles: Sequence[str]) -> list[str]:
    seen = Counter[str]()
    names = []
    for title in titles:
        seen[title.casefold()] += 1
        count = seen[title.casefold()]
        names.append(title if count == 1 else f"{title} ({count})")
    return names


def _owners(steps: Sequence[_Step]) -> dict[str, int]:
    """The step that writes each file first, if a later one uses it."""
    first: dict[str, int] = {}
    used: set[str] = set()
    for number, step in enumerate(steps):
        for call in _calls(step):
            for path in _paths(call):
                if first.get(path, number) < number:
                    used.add(path)
                if _tool(call) in _WRITES:
                    first.setdefault(path, number)
    return {path: number for path, number in first.items() if path in used}


def _node(
    steps: Sequence[_Step], names: Sequence[str], owners: dict[str, int], number: int
) -> Node:
    step = steps[number]
    mine = [path for path, owner in owners.items() if owner == number]
    paths = dict.fromkeys(path for call in _calls(step) for path in _paths(call))
    theirs = [path for path in paths if owners.get(path, number) < number]
    data = _names_of(owners)
    return Node(
        name=names[number],
        line=0,
        agent=step.agent,
        channel=step.channel,
        takes=tuple(data[path] for path in theirs[:_MOST_DATA]),
        creates=tuple(data[path] for path in mine[:_MOST_DATA]),
        branches=tuple(_branches(step, names, number)),
        steps=tuple(_texts(step)),
    )


def _names_of(paths: Iterable[str]) -> dict[str, Data]:
    """A name for each file; those of different files differ."""
    names: dict[str, Data] = {}
    taken: set[str] = set()
    for path in paths:
        base = re.sub(r"\W+", "_", path).strip("_").lower()
        base = base if base[:1].isalpha() else f"file_{base}"
        name, count = base, 1
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        taken.add(name)
        names[path] = Data(name, "File")
    return names


def _texts(step: _Step) -> Iterator[str]:
    """Decisions, and the tool calls without repetitions."""
    if step.count > 1:
        retried = any(one.failed for phase in step.phases[:-1] for one in phase.calls)
        why = "retried after failures" if retried else "a loop"
        yield f"Repeat until it is done ({step.count} times in the session, {why})."
    decided = (one for phase in step.phases for one in phase.callouts(CalloutKind.DECISION))
    lines = [f"- Decision: {_line(one.text)}" for one in decided]
    lines += [f"- {_call(call)}" for call in _calls(step) if not call.failed]
    yield from list(dict.fromkeys(lines))[:_MOST_STEPS]


def _branches(step: _Step, names: Sequence[str], number: int) -> Iterator[Branch]:
    """An error of the session is what happens otherwise."""
    errors = (one for phase in step.phases for one in phase.callouts(CalloutKind.ERROR))
    found = [_line(one.resolution or one.description) for one in errors]
    found += [f"fix: {_line(one.result or one.tool)}" for one in _calls(step) if one.failed]
    if not found:
        return
    if number + 1 < len(names):
        after = names[number + 1]
        yield Branch("it succeeds", f"proceed to {after}", after, 0)
    for text in list(dict.fromkeys(filter(None, found)))[:_MOST_BRANCHES]:
        yield Branch(None, text, None, 0)


def _calls(step: _Step) -> Iterator[ToolCall]:
    return (call for phase in step.phases for call in phase.calls)


def _call(call: ToolCall) -> str:
    arguments = _without_paths(call.arguments)
    return "`" + cut(f"{call.tool} {arguments}".strip().replace("`", "'"), _LONGEST) + "`"


def _line(text: str) -> str:
    # An arrow would begin data or a condition.
    line = re.sub(r"\u2192|->", "to", _without_paths(one_line(text)))
    return cut(line, _LONGEST)


def _tool(call: ToolCall) -> str:
    return re.sub(r"[^a-z]", "", call.tool.lower())


def _paths(call: ToolCall) -> list[str]:
    """The files that a tool for files names."""
    if _tool(call) not in _READS | _WRITES:
        return []
    return [PurePath(found).as_posix() for found in _PATH.findall(_without_paths(call.arguments))]


def _without_paths(text: str) -> str:
    """The text with the name of each absolute path alone."""
    return _ABSOLUTE.sub(lambda found: found["name"], text)
