"""Who may reopen what was closed how on Jira and Azure DevOps, from the event to the item."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.cli.trackers.test_comments_elsewhere import Desk, desk

from unlatch_sandbox.clock import ado_time, stored

__all__ = ["desk"]


@dataclass(frozen=True)
class Closing:
    """Who closes the item, and with what the trackers call its reason."""

    by: str
    jira: str | None = None
    ado: str | None = None


# For the author, the assignee, triage, write, an outsider and a bot:
# + reopened, ! reopened with --even-if-not-planned alone, - refused with one answer, . passed over.
ASKERS = ("Ann", "Abe", "Tim", "Wes", "Oda", "Helper [bot]")
TABLE: dict[str, tuple[Closing, str]] = {
    "author": (Closing("Ann"), "+-++-."),
    "assignee": (Closing("Abe"), "-+++-."),
    "person, completed": (Closing("Wanda"), "--++-."),
    "person, not planned": (Closing("Wanda", "Won't Do", "Obsolete"), "--!!-."),
    "person, duplicate": (Closing("Wanda", "Duplicate", "Duplicate"), "--!!-."),
    "bot": (Closing("Stale [bot]"), "++++-."),
    "bot, not planned": (Closing("Stale [bot]", "Won't Do", "Obsolete"), "++++-."),
    # A commit or a merged pull request closes by a rule, or in the name of a person.
    "rule of a merged pull request": (Closing("Automation for Jira"), "++++-."),
    "person, by a merged pull request": (Closing("Wanda"), "--++-."),
    "unlatch": (Closing("unlatch"), "++++-."),
}


def close(desk: Desk, closing: Closing) -> None:
    box, project = desk.project.box, desk.project
    then = stored(datetime.now(UTC) - timedelta(minutes=60))
    fields: dict[str, Any] = {"by": closing.by}
    with project.monkeypatch.context() as patch:
        patch.setattr(type(box.jira.tracks), "now", lambda _: then)
        patch.setattr(type(box.ado.boards), "now", lambda _: ado_time(then))
        if closing.by == "unlatch":
            assert 0 == project.run("close", project.urls[desk.tracker], "--reason", "Done").code
        elif desk.tracker == "jira":
            reason = {"resolution": closing.jira} if closing.jira else {}
            box.jira.edit("SCRUM-28", status="Done", **fields, **reason)
        else:
            fields["by"] = closing.by.replace("Automation for Jira", "widgets Build Service")
            reason = {"reason": closing.ado} if closing.ado else {}
            box.ado.edit(101, state="Closed", **fields, **reason)


@pytest.mark.sample(at=(28, 72))
@pytest.mark.parametrize("asker", ASKERS)
@pytest.mark.parametrize("closing", TABLE)
def test_who_may_reopen(desk: Desk, closing: str, asker: str) -> None:
    box, (how, signs) = desk.project.box, TABLE[closing]
    if desk.tracker == "jira":
        box.jira.edit("SCRUM-28", status="In Progress", assignee="Abe")
    else:
        box.ado.edit(101, state="Active", assigned_to="Abe")
    close(desk, how)
    sign, before = signs[ASKERS.index(asker)], len(desk.answers)

    plain = desk.say(asker, "/reopen It crashes")
    after = (desk.is_open, len(desk.answers) - before)
    insisting = desk.say(asker, "/reopen --even-if-not-planned It crashes")

    assert {"+": (True, 1), ".": (False, 0)}.get(sign, (False, 1)) == after, plain.said
    assert (sign in "+!") is desk.is_open, plain.said + insisting.said
    assert [0, 0] == [plain.code, insisting.code], plain.said + insisting.said
    assert {"!": 2, ".": 0}.get(sign, 1) == len(desk.answers) - before, desk.answers
