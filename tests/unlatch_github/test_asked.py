"""Comments on an issue with what decides about them, and the people whom closes stand for."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.unlatch_github.making import OP, REPOSITORY, plugin_for, ref, sent

from unlatch.spi import hidden
from unlatch.spi.history import Asked, Asker, Role
from unlatch_ci.comments.command import Command, Verb
from unlatch_ci.comments.rights import Policy, Refusal, came_with_close, refusal
from unlatch_sandbox import Sandbox

ROLES = {"ann": "read", "abe": "read", "tim": "triage", "wes": "maintain", "oda": "read"}
# For the author ann, the assignee abe, tim with triage, wes with write, the outsider oda and a bot:
# + may, ! may with --even-if-not-planned, - may not, . is not read.
CLOSINGS = {
    "by its author": ({"by": "Ann"}, "+-++-."),
    "as completed": ({"by": "wanda"}, "--++-."),
    "as not planned": ({"by": "wanda", "state_reason": "not_planned"}, "--!!-."),
    "as a duplicate": ({"by": "wanda", "state_reason": "duplicate"}, "--!!-."),
    "by a bot, not planned": ({"by": "stale[bot]", "state_reason": "not_planned"}, "++++-."),
    "by a workflow": ({"by": "github-actions[bot]"}, "++++-."),
    "by a merged pull request": (None, "++++-."),
    "locked": ({"by": "stale[bot]", "locked": True}, "--!!-."),
}


@pytest.fixture
def number(box: Sandbox) -> int:
    for login, role in ROLES.items():
        box.github.add_person(login, role=role)
    return box.github.add_issue(title="Crash", author="ann", assignee="Abe")


def read(box: Sandbox, number: int, comment: int) -> Asked | None:
    box.requests.clear()
    return plugin_for(box).read_asked(ref(box, number), str(comment))


def comment(box: Sandbox, number: int, user: str, words: str = "/reopen") -> int:
    return box.github.add_comment(REPOSITORY, number, words, user)


def _refused(asked: Asked, even: bool) -> Refusal | None:
    command = Command(Verb.REOPEN, "x", even)
    return refusal(command, asked.asker, asked.close, Policy(), written=asked.written)


@pytest.mark.sample(at=(2, 6))
@pytest.mark.parametrize("closing", CLOSINGS)
def test_whom_a_close_stands_for(box: Sandbox, number: int, closing: str) -> None:
    changes, signs = CLOSINGS[closing]
    if changes is None:
        box.github.merge_pull_request(REPOSITORY, 9, closes=number)
    else:
        box.github.edit(REPOSITORY, number, state="closed", **changes)

    found = ""
    for user in (*ROLES, "helper[bot]"):
        asked = read(box, number, comment(box, number, user))
        may = [asked and _refused(asked, even) for even in (False, True)]
        found += "." if asked is None else "+" if may[0] is None else "-" if may[1] else "!"

    assert signs == found


def test_it_has_the_words_and_the_rights_of_the_person(box: Sandbox, number: int) -> None:
    box.github.edit(REPOSITORY, number, state="closed", by="wes")
    made = comment(box, number, "wes", "/reopen it fails")

    asked = read(box, number, made)

    assert asked is not None
    assert (asked.text, asked.is_open, asked.is_restricted) == ("/reopen it fails", False, False)
    assert asked.url.endswith(f"/{REPOSITORY}/issues/{number}#issuecomment-{made}")
    assert Asker("wes", frozenset({Role.TRIAGE, Role.WRITE})) == asked.asker
    assert came_with_close(asked.asker, asked.written, asked.close)
    assert sent(box) == [
        f"GET /issues/comments/{made}",
        "POST /api/graphql",
        "GET /collaborators/wes/permission",
    ]


def test_what_asks_for_nothing_costs_one_request(box: Sandbox, number: int) -> None:
    other = box.github.add_issue(title="Other", author="ann")
    gone = comment(box, number, "ann")
    box.github.edit_comment(REPOSITORY, gone, None)
    elsewhere = comment(box, other, "ann")
    own = comment(box, number, "ann", f"/reopen\n\n{hidden(OP)}")

    for one in (gone, elsewhere, own, comment(box, number, "helper[bot]")):
        assert read(box, number, one) is None
        assert len(sent(box)) == 1


def test_an_edited_comment_asks_for_nothing() -> None:
    moments = [datetime(2026, 7, 1, 12, tzinfo=UTC)]
    with Sandbox(clock=lambda: moments[-1]) as box:
        number = box.github.add_issue(title="Crash", author="ann")
        made = comment(box, number, "ann", "Thanks")
        moments.append(moments[0] + timedelta(seconds=1))
        box.github.edit_comment(REPOSITORY, made, "/reopen")

        assert read(box, number, made) is None
        assert len(sent(box)) == 1


def test_rights_that_github_does_not_tell_are_missing(box: Sandbox, number: int) -> None:
    box.github.edit(REPOSITORY, number, state="closed", by="stale[bot]")
    made = comment(box, number, "wes")
    box.github.add_repository(REPOSITORY, push=False)

    asked = read(box, number, made)

    assert asked is not None
    assert asked.asker == Asker("wes")


def test_a_bots_name_is_nobodys(box: Sandbox) -> None:
    number = box.github.add_issue(title="Update", author="renovate[bot]")
    box.github.add_person("renovate", role="read")

    asked = read(box, number, comment(box, number, "renovate"))

    assert asked is not None
    assert asked.asker == Asker("renovate")
