from typing import Any

import pytest

from unlatch.errors import Rejected
from unlatch.spi import Goal
from unlatch_jira.api.workflow_models import Transition
from unlatch_jira.settings_types import Transitions
from unlatch_jira.workflow.choose import choose

AUTO = Transitions()


def move(name: str, category: str, *, to: str = "x", **more: Any) -> Transition:
    status = {"name": to, "statusCategory": {"key": category}}
    return Transition({"id": f"id of {name}", "name": name, "to": status, **more})


TO_DO = move("Zurück", "new")
DOING = move("Weiter", "indeterminate")
REOPEN = move("Reopen Issue", "new")
DONE = move("Fertig", "done")
CLOSE = move("Schließen", "done", to="Zu")
REOPENED = move("Re-opened", "new")
ODD = move("Odd", "undefined")


@pytest.mark.parametrize(
    ("moves", "chosen"),
    [
        ([TO_DO, DOING, REOPEN, DONE], REOPEN),
        ([TO_DO, DOING, DONE], DOING),
        ([DONE, TO_DO], TO_DO),
        ([DONE, ODD], ODD),
        ([TO_DO, move("re-open and close", "done")], TO_DO),
        ([DOING, REOPENED], REOPENED),
        ([DOING, move("Preopen", "new")], DOING),
        ([move("Weg", "indeterminate", isAvailable=False), TO_DO], TO_DO),
    ],
)
def test_reopening_goes_by_what_statuses_mean(moves: list[Transition], chosen: Transition) -> None:
    assert choose(moves, Goal.OPEN, AUTO) == chosen


def test_completing_avoids_the_way_that_is_for_dropping() -> None:
    named = Transitions(drop="fertig")
    assert choose([DONE, CLOSE], Goal.COMPLETED, named) == CLOSE
    assert choose([DONE], Goal.COMPLETED, named) == DONE
    assert choose([CLOSE, DONE], Goal.NOT_PLANNED, named) == DONE


@pytest.mark.parametrize("wanted", ["id of Schließen", "SCHLIESSEN", "zu"])
def test_a_configured_way_is_an_id_a_name_or_a_status(wanted: str) -> None:
    assert choose([DONE, CLOSE], Goal.COMPLETED, Transitions(complete=wanted)) == CLOSE


@pytest.mark.parametrize("moves", [[], [move("Weg", "new", isAvailable=False)]])
def test_no_way_at_all_is_refused(moves: list[Transition]) -> None:
    with pytest.raises(Rejected) as caught:
        choose(moves, Goal.OPEN, AUTO)
    assert (caught.value.id, "permission" in (caught.value.hint or "")) == ("no-transition", True)


@pytest.mark.parametrize("goal", [Goal.COMPLETED, Goal.NOT_PLANNED])
def test_closing_takes_the_first_way_to_a_done_status(goal: Goal) -> None:
    assert choose([TO_DO, DONE, CLOSE], goal, AUTO) == DONE
