"""What sync asks before it writes: what to do where both sides may be right, and how many items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import is_interactive
from unlatch.sync.compare import Decision, Side, Verdict, side_of, side_there
from unlatch.sync.plan import planned

if TYPE_CHECKING:
    from unlatch.sync.compare import Compared
    from unlatch.sync.plan import SyncPlan


def answered(plan: SyncPlan, *, yes: bool, silent: bool) -> SyncPlan:
    """The plan with what a person chose; what nobody is there to choose stays open."""
    open_questions = plan.having(Verdict.ASK)
    if not open_questions or silent or yes or not is_interactive():
        return plan
    chosen = {id(one): _ask(one) for one in open_questions}
    return planned(chosen.get(id(one), one) for one in plan.links)


def _ask(one: Compared) -> Compared:
    item = one.seen.item
    if item is None or one.decision is None:
        return one
    output.talk(
        f"{output.warn('!')} {output.strong(one.increment.id)} is {one.increment.status}; "
        f"{output.clean(one.seen.name)} is {output.clean(item.state)}: {one.decision.why}"
    )
    here, there = side_of(one.increment.status), side_there(item.category)
    choices = {"i": _follow_increment(here), "t": _follow_item(there), "l": "leave both"}
    told = ", ".join(f"{key} = {what}" for key, what in choices.items())
    answer = output.prompt(f"  {told}", choices=list(choices), default="l", show_choices=False)
    verdicts = {"i": Verdict.PUSH, "t": Verdict.PULL, "l": Verdict.DRIFT}
    return replace(one, decision=Decision(verdicts[answer], one.decision.why))


def _follow_increment(here: Side) -> str:
    return "reopen the item" if here is Side.OPEN else "close the item"


def _follow_item(there: Side) -> str:
    acts = {Side.OPEN: "reopen", Side.DONE: "complete", Side.DROPPED: "abandon"}
    return f"{acts[there]} the increment"
