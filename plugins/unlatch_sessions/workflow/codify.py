"""A workflow from the log of a session.

Phases that do the same are one step. Files are data: the step that writes one first creates it, and
later steps that read or change it take it, so the data makes no cycle.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch_sessions.session_model import Callout, CalloutKind, Session
from unlatch_sessions.workflow import calls
from unlatch_sessions.workflow.steps import Step, steps_of
from unlatch_sessions.workflow.wording import line, name
from unlatch_sessions.workflow.workflow_model import Branch, Data, Dialect, Node, Workflow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_MOST_DATA, _MOST_WORDS, _MOST_CALLS, _MOST_BRANCHES = 8, 4, 8, 3
_LABEL = re.compile(r"\A[*_#\s-]*(?:(?:decision|decided)[*_]*:[*_]*\s*)?", re.IGNORECASE)
_RULE = re.compile(r"\([\w-]+\)")


def codify(session: Session, dialect: Dialect = Dialect.CRUCIBLE_1) -> Workflow:
    """The workflow of a session, with at most 39 nodes and without absolute paths.

    Raises:
        UsageError: `session-empty`.
    """
    if not session.phases:
        hint = "choose another: unlatch session list, with --imported for imported ones"
        raise UsageError("session-empty", f"'{session.id}' has no phases to codify", hint=hint)
    steps = steps_of(session.phases)
    names = _unique([_title(step) for step in steps])
    owners = _owners(steps)
    nodes = tuple(_node(steps, names, owners, number) for number in range(len(steps)))
    return Workflow(name(session.title), dialect, nodes, source=session.id)


def _title(step: Step) -> str:
    return f"{step.title} and {step.joined - 1} more" if step.joined > 1 else step.title


def _unique(titles: Sequence[str]) -> list[str]:
    seen = Counter[str]()
    names: list[str] = []
    for title in titles:
        unique = title
        while unique.casefold() in seen:
            seen[title.casefold()] += 1
            unique = f"{title} ({seen[title.casefold()]})"
        seen[unique.casefold()] += 1
        names.append(unique)
    return names


def _owners(steps: Sequence[Step]) -> dict[str, int]:
    """The step that writes each file first, if a later one uses it."""
    first: dict[str, int] = {}
    used: set[str] = set()
    for number, step in enumerate(steps):
        for call in step.calls:
            for path in calls.paths(call):
                if first.get(path, number) < number:
                    used.add(path)
                if calls.writes(call):
                    first.setdefault(path, number)
    return {path: number for path, number in first.items() if path in used}


def _node(steps: Sequence[Step], names: Sequence[str], owners: dict[str, int], number: int) -> Node:
    step = steps[number]
    mine = [path for path, owner in owners.items() if owner == number]
    paths = dict.fromkeys(path for call in step.calls for path in calls.paths(call))
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
        steps=(*_repeats(step), *_words(step), *_calls(step)),
    )


def _names_of(paths: Iterable[str]) -> dict[str, Data]:
    """A name for each file; those of different files differ."""
    names: dict[str, Data] = {}
    taken: set[str] = set()
    for path in paths:
        base = re.sub(r"\W+", "_", path).strip("_").lower()
        base = base if base[:1].isalpha() else f"file_{base}"
        unique, count = base, 1
        while unique in taken:
            count += 1
            unique = f"{base}_{count}"
        taken.add(unique)
        names[path] = Data(unique, "File")
    return names


def _repeats(step: Step) -> Iterator[str]:
    if step.begun > 1:
        failed = any(call.failed for phase in step.phases[:-1] for call in phase.calls)
        why = "retried after failures" if failed else "a loop"
        why = "retried after corrections" if any(_corrections(step)) else why
        yield f"Repeat until it is done ({step.begun} times in the session, {why})."


def _words(step: Step) -> list[str]:
    """Decisions of the work, and people's corrections."""
    decided = (line(_LABEL.sub("", o.text)) for o in step.callouts(CalloutKind.DECISION))
    lines = [f"- Decision: {decision}" for decision in decided if decision]
    lines += [f"- Correction: {line(correction)}" for correction in _corrections(step)]
    return list(dict.fromkeys(lines))[:_MOST_WORDS]


def _corrections(step: Step) -> Iterator[str]:
    said = step.callouts(CalloutKind.USER)
    return (callout.words for callout in said if callout.corrects and callout.words)


def _calls(step: Step) -> Iterator[str]:
    """The calls that succeeded, each once; of many, those that do more than read."""
    reading: dict[str, bool] = {}
    for call in step.calls:
        if not call.failed:
            reading.setdefault(calls.shown(call), calls.reads(call))
    kept = sorted(reading, key=reading.__getitem__)[:_MOST_CALLS]
    failed = {calls.shown(call) for call in step.calls if call.failed}
    for command in (text for text in reading if text in kept):
        yield f"- `{command}`{', again until it succeeds' if command in failed else ''}"
    if left := len(reading) - len(kept):
        yield f"- and {left} more"


def _branches(step: Step, names: Sequence[str], number: int) -> Iterator[Branch]:
    """An error of the session becomes an `Otherwise`."""
    problems = [line(_said(callout)) for callout in step.callouts(CalloutKind.ERROR)]
    problems += [f"fix {line(calls.failure(call))}" for call in step.calls if call.failed]
    if not problems:
        return
    if number + 1 < len(names):
        after = names[number + 1]
        yield Branch("it succeeds", f"proceed to {after}", after, 0)
    for text in list(dict.fromkeys(filter(None, problems)))[:_MOST_BRANCHES]:
        yield Branch(None, text, None, 0)


def _said(error: Callout) -> str:
    """The text of an error in the log; an import only copies the output of the call."""
    is_output = _RULE.fullmatch(error.head) is not None
    return error.resolution or ("" if is_output else error.description)
