"""What a coordinator works with: the run, the clock, the programs that a person agreed to."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_runs.state_file import save_state, state_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from unlatch_runs.consent import Consent
    from unlatch_runs.dispatch.places import Places
    from unlatch_runs.dispatch.port import Dispatcher
    from unlatch_runs.journal import Journal
    from unlatch_runs.plan.plan_model import Plan


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The limits of the requirement.

    Args:
        context: percent of the driving agent's context at which it is compacted.
        session: percent of the usage limit that is left at which the run pauses.
        window: how long ago a completion is recent, counted from the clock at recovery.
        look: the time between two looks at the usage.
    """

    context: float = 10
    session: float = 10
    window: timedelta = timedelta(minutes=60)
    look: timedelta = timedelta(minutes=1)


class End(StrEnum):
    """How a coordinator ended."""

    FINISHED = "finished"
    PAUSED = "paused"
    STOPPED = "stopped"


@dataclass(slots=True)
class RunContext:
    """A run in the hands of this coordinator.

    Args:
        root: the project.
        places: where the work of tasks begins.
        environ: the environment of the coordinator's own commands, without the trackers' tokens.
        read_plan: reads the plan in full; gets the ids of known tasks; raises MistakesError.
        consent: the consent of a person; read again while commands wait for it.
        say, note: print one of the documented outputs, and a line about an event.
        sleep: waits for so many seconds.
        references: files that every assignment names.
    """

    root: Path
    journal: Journal
    dispatcher: Dispatcher
    places: Places
    environ: Mapping[str, str]
    read_plan: Callable[[Collection[str]], Plan]
    consent: Callable[[], Consent]
    clock: Callable[[], datetime]
    sleep: Callable[[float], None]
    new_id: Callable[[], str]
    say: Callable[[str], None]
    note: Callable[[str], None]
    references: tuple[str, ...] = ()
    thresholds: Thresholds = Thresholds()
    plan: Plan = field(init=False)

    @property
    def folder(self) -> Path:
        return self.journal.folder

    @property
    def run(self) -> str:
        return self.folder.name

    @property
    def state_file(self) -> str:
        """The path of state.json, as it is printed."""
        return state_file(self.root, self.folder)

    def save(self, reason: str) -> None:
        save_state(self.folder, self.journal.state, now=self.clock(), reason=reason)
