"""Choosing sessions of the index, and figures of groups of them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch_sessions.index import Indexed, Row


class GroupBy(StrEnum):
    AGENT = "agent"
    CHANNEL = "channel"
    STATUS = "status"


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one group.

    Args:
        group: an agent, channel or status; None for sessions without one.
        mean_seconds: from start to end, of the sessions that have ended; None without any.
        failure_rate: failed tool calls / tool calls; None without any.
    """

    group: str | None
    sessions: int
    tokens: int
    mean_seconds: float | None
    calls: int
    failures: int

    @property
    def failure_rate(self) -> float | None:
        return self.failures / self.calls if self.calls else None


def choose(
    entries: Iterable[Indexed],
    *,
    agent: str | None = None,
    channel: str | None = None,
    status: str | None = None,
) -> list[Indexed]:
    """The sessions with all of these, by the names of their files.

    Args:
        agent: its name, or `name@version`.
    """
    return [
        entry
        for entry in entries
        if status in (None, entry.session["status"])
        and (agent is None or agent.removeprefix("@") in _agents(entry))
        and (channel is None or channel.removeprefix("#") in _channels(entry))
    ]


def group(entries: Iterable[Indexed], by: GroupBy) -> list[Figures]:
    """The figures of each group, by name; those of sessions without one are the last.

    By agent or channel, tool calls count for that of their phase, or else for the first one of the
    session; the tokens and duration of a session count for each that it has.
    """
    groups: dict[str | None, list[Indexed]] = {}
    for entry in entries:
        for name in _groups(entry, by):
            groups.setdefault(name, []).append(entry)
    names = sorted(groups, key=lambda name: (name is None, name or ""))
    return [_figures(name, groups[name], by) for name in names]


def _figures(name: str | None, entries: list[Indexed], by: GroupBy) -> Figures:
    rows = [row for entry in entries for row in _rows(entry, name, by)]
    lasted = [seconds for entry in entries if (seconds := _seconds(entry.session)) is not None]
    return Figures(
        group=name,
        sessions=len(entries),
        tokens=sum(entry.session["tokens"] for entry in entries),
        mean_seconds=sum(lasted) / len(lasted) if lasted else None,
        calls=sum(row["calls"] for row in rows),
        failures=sum(row["failures"] for row in rows),
    )


def _rows(entry: Indexed, name: str | None, by: GroupBy) -> Iterator[Row]:
    if by is GroupBy.STATUS:
        yield entry.session
        return
    yield from (phase for phase in entry.phases if _name_of(phase, entry, by) == name)


def _groups(entry: Indexed, by: GroupBy) -> list[str | None]:
    if by is GroupBy.STATUS:
        return [entry.session["status"]]
    own = (
        _channels(entry) if by is GroupBy.CHANNEL else [row["agent"] for row in entry.participants]
    )
    # One without a name is a group of its own where there is something to count.
    names = [(_name_of(phase, entry, by), phase["calls"]) for phase in entry.phases]
    every = [*own, *(name for name, calls in names if name or calls)]
    return [*dict.fromkeys(every)] or [None]


def _name_of(phase: Row, entry: Indexed, by: GroupBy) -> str | None:
    """The agent or channel of a phase: without its own, the first one of its session."""
    if by is GroupBy.CHANNEL:
        first = entry.session["channel"]
    else:
        first = entry.participants[0]["agent"] if entry.participants else None
    name: str | None = phase[by.value] or first
    return name


def _agents(entry: Indexed) -> set[str]:
    rows = [*entry.participants, *entry.phases]
    names = {row["agent"] for row in rows if row["agent"]}
    return names | {f"{row['agent']}@{row['version']}" for row in rows if row["version"]}


def _channels(entry: Indexed) -> list[str]:
    channels = [entry.session["channel"], *(phase["channel"] for phase in entry.phases)]
    return [name for name in channels if name]


def _seconds(row: Row) -> float | None:
    started, ended = read_stamp(row["started"]), read_stamp(row["ended"])
    return (ended - started).total_seconds() if started and ended else None
