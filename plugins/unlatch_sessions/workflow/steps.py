"""The steps of a session: phases that do the same are one."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_sessions.session_model import Agent, Callout, CalloutKind, Phase, ToolCall
from unlatch_sessions.workflow import calls
from unlatch_sessions.workflow.wording import name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence


MOST_NODES = 39
# Words of a person that ask for no more than to go on.
_GO_ON = re.compile(
    r"(?:please |yes,? |ok,? )?(?:yes|y|ok|okay|sure|continue|go on|go ahead|proceed|resume|retry"
    r"|try again|do it|again)\W*",
    re.IGNORECASE,
)


@dataclass
class Step:
    """The phases that are one step.

    Args:
        begun: how often it was begun anew.
        joined: the number of steps that it stands for.
    """

    title: str
    agent: Agent | None
    channel: str | None
    phases: list[Phase] = field(default_factory=list)
    begun: int = 0
    joined: int = 1

    @property
    def calls(self) -> Iterator[ToolCall]:
        return (call for phase in self.phases for call in phase.calls if calls.is_step(call))

    def callouts(self, kind: CalloutKind) -> Iterator[Callout]:
        return (callout for phase in self.phases for callout in phase.callouts(kind))


def steps_of(phases: Sequence[Phase]) -> list[Step]:
    """At most 39 steps, in the order in which they were begun first."""
    working = [phase for phase in phases if not _only_answers(phase)] or phases
    return _joined(_steps(working))


def _steps(phases: Iterable[Phase]) -> list[Step]:
    steps: list[Step] = []
    by_work: dict[Hashable, Step] = {}
    last: Step | None = None
    for phase in phases:
        opening = _opening(phase)
        corrects = opening is not None and opening.is_marked_correction
        goes_on = _GO_ON.fullmatch(phase.title) is not None
        title, agent = name(phase.title), phase.agent.name if phase.agent else None
        work = (agent, _work(phase))
        if last and (corrects or goes_on):
            step = last
        elif earlier := by_work.get((agent, title.casefold())) or by_work.get(work):
            step = earlier
        else:
            step = Step(title, phase.agent, phase.channel)
            steps.append(step)
            by_work[agent, title.casefold()] = step
        if work[1]:
            by_work.setdefault(work, step)
        step.begun += not (goes_on and step.phases)
        step.phases.append(phase)
        last = step
    return steps


def _work(phase: Phase) -> frozenset[str]:
    """The content of a phase: a single call with its arguments, several by their kinds."""
    done = [call for call in phase.calls if calls.is_step(call)]
    kinds = frozenset(map(calls.kind, done))
    return kinds if len(kinds) > 1 else frozenset(map(calls.shown, done))


def _opening(phase: Phase) -> Callout | None:
    """The words of a person that begin a phase."""
    first = phase.entries[0] if phase.entries else None
    is_said = isinstance(first, Callout) and first.kind == CalloutKind.USER
    return first if isinstance(first, Callout) and is_said else None


def _only_answers(phase: Phase) -> bool:
    """Whether an agent answered a prompt that corrected nothing, and did nothing else."""
    opening = _opening(phase)
    return opening is not None and not opening.corrects and len(phase.entries) == 1


def _joined(steps: list[Step]) -> list[Step]:
    """Join the smallest neighbours until there are few enough."""
    while len(steps) > MOST_NODES:
        sizes = [len(first.phases) + len(second.phases) for first, second in pairwise(steps)]
        at = sizes.index(min(sizes))
        first, second = steps[at], steps[at + 1]
        agent = first.agent if first.agent == second.agent else None
        channel = first.channel if first.channel == second.channel else None
        joined = Step(first.title, agent, channel, [*first.phases, *second.phases], 1)
        joined.joined = first.joined + second.joined
        steps = [*steps[:at], joined, *steps[at + 2 :]]
    return steps
