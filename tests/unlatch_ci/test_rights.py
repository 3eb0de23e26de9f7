"""Who may have a command carried out: the table of askers and closings."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from unlatch.spi.history import Asker, Closer, LastClose, Role
from unlatch_ci.comments.command import Command, Verb
from unlatch_ci.comments.rights import (
    Policy,
    Refusal,
    came_with_close,
    changes_increment,
    completes_increment,
    refusal,
)

AT = datetime(2026, 7, 1, 12, tzinfo=UTC)
ASKERS = {
    "author": Asker("ann", frozenset({Role.AUTHOR})),
    "assignee": Asker("abe", frozenset({Role.ASSIGNEE})),
    "triage": Asker("tim", frozenset({Role.TRIAGE})),
    "write": Asker("wes", frozenset({Role.WRITE})),
    "team": Asker("tea", teams=frozenset({"team:support"})),
    "outsider": Asker("oda"),
}
PERSON = LastClose(AT, "wanda", Closer.PERSON, dropped=False, locked=False)
MACHINE = replace(PERSON, by="machine")
CLOSINGS = {
    "author": replace(PERSON, by="ann"),
    "author, not planned": replace(PERSON, by="ann", dropped=True),
    "completed": PERSON,
    "not planned or duplicate": replace(PERSON, dropped=True),
    "bot": replace(MACHINE, closer=Closer.BOT),
    "bot, not planned": replace(MACHINE, closer=Closer.BOT, dropped=True),
    "workflow": replace(MACHINE, closer=Closer.WORKFLOW),
    "merged": replace(PERSON, closer=Closer.CHANGE),
    "unlatch": replace(MACHINE, closer=Closer.UNLATCH),
    "locked": replace(MACHINE, closer=Closer.BOT, locked=True),
    "unknown": LastClose(locked=False),
    "nothing known": LastClose(),
}
POLICY = Policy(frozenset({*Role, "team:support"}))
# A letter for each of ASKERS: + may, ! may with --even-if-not-planned, s stands, d dropped,
# l locked, - has no role. With the option the others stay.
TABLE = {
    "author": "+s+++-",
    "author, not planned": "+d!!d-",
    "completed": "ss+++-",
    "not planned or duplicate": "dd!!d-",
    "bot": "+++++-",
    "bot, not planned": "+++++-",
    "workflow": "+++++-",
    "merged": "+++++-",
    "unlatch": "+++++-",
    "locked": "ll!!l-",
    "unknown": "dd!!d-",
    "nothing known": "ll!!l-",
}
WHY = {
    "s": Refusal.CLOSED_BY_ANOTHER,
    "d": Refusal.DROPPED,
    "l": Refusal.LOCKED,
    "-": Refusal.NO_ROLE,
}


@pytest.mark.parametrize("closing", TABLE)
def test_who_may_reopen(closing: str) -> None:
    for sign, (name, asker) in zip(TABLE[closing], ASKERS.items(), strict=True):
        asked, insisted = (
            refusal(Command(Verb.REOPEN, "x", even), asker, CLOSINGS[closing], POLICY, written=AT)
            for even in (False, True)
        )
        assert (asked is None) is (sign == "+"), (name, asked)
        assert (insisted is None) is (sign in "+!"), (name, insisted)
        assert sign in "+!" or {asked, insisted} == {WHY[sign]}, name


@pytest.mark.parametrize("name", [name for name in ASKERS if name != "outsider"])
def test_whom_the_setting_leaves_out_has_no_role(name: str) -> None:
    left = POLICY.allow - {name, f"{name}:support"}

    found = refusal(Command(Verb.REOPEN), ASKERS[name], CLOSINGS["bot"], Policy(left), written=AT)

    assert found is Refusal.NO_ROLE


@pytest.mark.parametrize(
    ("name", "closes", "undoes", "changes", "completes"),
    [
        ("author", True, False, False, False),
        ("assignee", True, False, False, False),
        ("triage", True, True, True, False),
        ("write", True, True, True, True),
        ("team", True, False, False, False),
        ("outsider", False, False, False, False),
    ],
)
def test_how_far_a_right_reaches(
    name: str, *, closes: bool, undoes: bool, changes: bool, completes: bool
) -> None:
    asker, undo = ASKERS[name], Command(Verb.UNDO)

    found = refusal(Command(Verb.CLOSE), asker, LastClose(), POLICY, written=AT)
    assert (found is None) is closes
    assert (
        refusal(undo, asker, PERSON, POLICY, written=AT, reopened_for="other") is None
    ) is undoes
    assert refusal(undo, asker, PERSON, POLICY, written=AT, reopened_for=asker.account) is None
    assert changes_increment(asker, POLICY) is changes
    assert changes_increment(asker, replace(POLICY, spread=True))
    assert completes_increment(asker, POLICY) is completes
    assert not completes_increment(asker, Policy(POLICY.allow - {Role.WRITE}))


@pytest.mark.parametrize(
    ("seconds", "by", "closer", "came"),
    [
        (-2, "ann", Closer.PERSON, True),
        (60, "ann", Closer.PERSON, True),
        (61, "ann", Closer.PERSON, False),
        (-61, "ann", Closer.PERSON, False),
        (1, "wes", Closer.PERSON, False),
        (1, "ann", Closer.UNLATCH, False),
    ],
)
def test_the_comment_of_a_close_asks_for_nothing(
    seconds: int, by: str, closer: Closer, *, came: bool
) -> None:
    close = LastClose(AT, by, closer)
    written = AT + timedelta(seconds=seconds)

    assert came_with_close(ASKERS["author"], written, close) is came
    assert not came_with_close(ASKERS["author"], written, LastClose())
