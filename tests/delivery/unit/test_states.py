"""The rules of the state machine, over all that an operation and a run can come to."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product

import pytest

from unlatch.delivery.states import (
    MAX_CONTACTS,
    MAX_REFUSALS,
    MAX_RETRY,
    MAX_SENDS,
    TABLE,
    Block,
    Done,
    Event,
    Evidence,
    Probe,
    Send,
    State,
    Step,
    Wait,
    advance,
    begin_contact,
    classify_error,
    current_state,
    next_step,
)
from unlatch.errors import (
    ConfigError,
    Conflict,
    CredentialMissing,
    Forbidden,
    Limited,
    Moved,
    NotFound,
    Redirected,
    Rejected,
    StoreError,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
    UnlatchError,
    Unreachable,
    unexpected,
)
from unlatch.spi.operation import Attempt, Kind, Operation

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOON, PAST = NOW + timedelta(seconds=9), NOW - timedelta(seconds=9)
TOO_FAR = NOW + MAX_RETRY + timedelta(seconds=1)
OPERATION = Operation("01JB0000000000000000000001", Kind.REOPEN, "github", "#4", NOW)
BLOCKED = replace(OPERATION, blocked_at=NOW, cause="item-locked")
FIRST = Attempt(1, PAST)
ATTEMPTS = (
    None,
    FIRST,
    replace(FIRST, ended=NOW),
    *(replace(FIRST, ended=NOW, retry_at=at) for at in (PAST, SOON, TOO_FAR)),
)
BOTH = (False, True)
Case = tuple[Operation, Attempt | None, Evidence]


@cache
def everything() -> Sequence[tuple[Case, State, Step]]:
    """Every operation with every attempt and all evidence of it; its state, and the next step."""
    return [(case, current_state(*case), next_step(*case)) for case in _cases()]


def _cases() -> Iterator[Case]:
    seen = ((None, None, 0), *product(State, Event, (0, 1, MAX_SENDS)))
    flags = product(BOTH, repeat=4)
    for (state, last, sends), (probed, settled, named, can_wait), at in product(
        seen, flags, (None, SOON)
    ):
        evidence = Evidence(
            NOW, state, last, probed, settled, named, can_wait, sends, at, "any-cause"
        )
        for operation, attempt in product((OPERATION, BLOCKED), ATTEMPTS):
            yield operation, attempt, evidence


# Laws of the next step


def test_nothing_is_sent_before_it_is_known_which_parts_are_done() -> None:
    assert all(
        evidence.probed and evidence.settled
        for (_, _, evidence), _, step in everything()
        if isinstance(step, Send)
    )


def test_nothing_is_asked_or_sent_while_something_may_still_take_effect() -> None:
    assert all(case[2].settled for case, _, step in everything() if isinstance(step, Send | Probe))


def test_an_unknown_outcome_is_probed_and_never_sent_again_unseen() -> None:
    steps = {type(step) for _, state, step in everything() if state is State.UNKNOWN}
    assert {Probe, Wait, Done} == steps


def test_what_is_blocked_is_taken_up_only_where_it_is_named() -> None:
    for (operation, _, evidence), state, step in everything():
        if state is State.BLOCKED and evidence.state is None:
            is_held_up = not (evidence.settled or evidence.can_wait)
            is_taken_up = evidence.named and not is_held_up
            assert isinstance(step, Done) is not is_taken_up, (operation, evidence)


def test_what_this_run_blocked_is_recorded_once_with_its_cause() -> None:
    steps = {
        (operation.is_blocked, step)
        for (operation, _, evidence), _, step in everything()
        if evidence.state is State.BLOCKED and evidence.last is Event.NEEDS_PERSON
    }
    assert {(False, Block("any-cause")), (True, Block("any-cause"))} == steps
    recorded = replace(BLOCKED, cause="any-cause")
    evidence = Evidence(NOW, State.BLOCKED, Event.NEEDS_PERSON, cause="any-cause")
    assert Done() == next_step(recorded, None, evidence)


def test_a_final_state_is_left_alone() -> None:
    assert {Done()} == {step for _, state, step in everything() if state.is_final}


@pytest.mark.parametrize(
    "last", [Event.UNCLEAR, Event.PROBE_FAILED, Event.REFUSED, Event.NOT_SENT], ids=str
)
def test_these_leave_an_operation_to_the_next_run(last: Event) -> None:
    assert {Done()} == {step for case, _, step in everything() if case[2].last is last}


def test_one_run_sends_an_operation_four_times_at_most() -> None:
    steps = {type(step) for case, _, step in everything() if case[2].sends >= MAX_SENDS}
    assert {Block, Done} == steps
    assert 4 == MAX_SENDS


def test_a_time_to_retry_is_waited_for_or_left_to_a_later_run() -> None:
    limited = (State.RETRY_AT, Event.LIMITED, SOON)
    steps = {
        (evidence.can_wait, step)
        for (_, _, evidence), _, step in everything()
        if (evidence.state, evidence.last, evidence.retry_at) == limited
        and evidence.sends < MAX_SENDS
    }
    assert {(True, Wait(SOON)), (False, Done())} == steps


@pytest.mark.parametrize("until", [PAST, NOW, TOO_FAR])
def test_a_time_that_is_over_or_that_no_tracker_meant_is_not_waited_for(until: datetime) -> None:
    evidence = Evidence(NOW, State.RETRY_AT, Event.LIMITED, retry_at=until)
    assert Probe() == next_step(OPERATION, FIRST, evidence)


@pytest.mark.parametrize("named", BOTH)
def test_a_time_that_another_run_noted_delays_nobody(named: bool) -> None:
    attempt = replace(FIRST, ended=NOW, retry_at=SOON)
    assert Probe() == next_step(OPERATION, attempt, Evidence(NOW, named=named))


def test_one_run_contacts_a_tracker_for_an_operation_nine_times_at_most() -> None:
    assert 9 == MAX_CONTACTS
    assert Probe() == next_step(OPERATION, None, Evidence(NOW, contacts=8))
    assert Done() == next_step(OPERATION, None, Evidence(NOW, contacts=9))


# What is read back from disk


@pytest.mark.parametrize(
    ("operation", "attempt", "state"),
    [
        (OPERATION, None, State.PENDING),
        (OPERATION, FIRST, State.UNKNOWN),
        (OPERATION, replace(FIRST, ended=NOW), State.PENDING),
        (OPERATION, replace(FIRST, ended=NOW, retry_at=SOON), State.PENDING),
        (BLOCKED, replace(FIRST, ended=NOW), State.BLOCKED),
    ],
)
def test_the_state_follows_from_what_is_on_disk(
    operation: Operation, attempt: Attempt | None, state: State
) -> None:
    assert state is current_state(operation, attempt, Evidence(NOW))


# The table


def test_a_final_state_has_no_row_and_every_other_one_can_be_left() -> None:
    assert {state for state in State if not state.is_final} == {state for state, _ in TABLE}


def test_what_is_contacted_is_sent_or_unknown() -> None:
    for case, _, step in everything():
        if isinstance(step, Send | Probe):
            assert begin_contact(*case).state in (State.SENT, State.UNKNOWN), case


@pytest.mark.parametrize("state", [State.SENT, State.UNKNOWN])
def test_after_every_event_but_a_probe_the_item_is_looked_at_again(state: State) -> None:
    for event in Event:
        if (state, event) in TABLE:
            after = advance(Evidence(NOW, state, probed=True), event)
            assert (event is Event.PROBED_LEFT) is after.probed
            assert (TABLE[state, event], event) == (after.state, after.last)


def test_an_event_that_no_row_knows_is_a_mistake() -> None:
    for state, event in product(State, Event):
        if (state, event) not in TABLE:
            with pytest.raises(KeyError):
                advance(Evidence(NOW, state), event)
    with pytest.raises(KeyError):
        advance(Evidence(NOW), Event.REACHED)


# What an error means

UNNAMED = ("any", "it happened")
MEANINGS: dict[UnlatchError, Event] = {
    Conflict(*UNNAMED): Event.NOT_TAKEN,
    Redirected(*UNNAMED): Event.NOT_TAKEN,
    Limited(*UNNAMED): Event.LIMITED,
    Unreachable(*UNNAMED): Event.NOT_SENT,
    CredentialMissing(*UNNAMED): Event.NOT_SENT,
    Forbidden(*UNNAMED): Event.NEEDS_PERSON,
    NotFound(*UNNAMED): Event.NEEDS_PERSON,
    Moved(*UNNAMED, to="elsewhere"): Event.NEEDS_PERSON,
    Rejected(*UNNAMED): Event.NEEDS_PERSON,
    UnknownOutcome(*UNNAMED): Event.UNCLEAR,
    Transient(*UNNAMED): Event.UNCLEAR,
    Unauthorised(*UNNAMED): Event.REFUSED,
    TrackerError(*UNNAMED): Event.REFUSED,
    StoreError(*UNNAMED): Event.UNCLEAR,
    ConfigError((), where="config.toml"): Event.UNCLEAR,
    unexpected(ZeroDivisionError()): Event.UNCLEAR,
}
NAMES = [type(error).__name__ for error in MEANINGS]


def meaning(
    error: UnlatchError,
    *,
    state: State = State.SENT,
    sent: bool = True,
    sends: int = 1,
    refusals: int = 1,
) -> Event:
    return classify_error(error, state, sent=sent, sends=sends, refusals=refusals)


@pytest.mark.parametrize("error", MEANINGS, ids=NAMES)
def test_the_class_of_an_error_tells_what_it_means(error: UnlatchError) -> None:
    expected = MEANINGS[error]
    assert expected is meaning(error)
    # Before anything was sent nothing is unclear, except what says so.
    is_unclear = expected is Event.UNCLEAR and not isinstance(error, UnknownOutcome)
    assert (Event.NOT_SENT if is_unclear else expected) is meaning(error, sent=False)
    # A probe that fails leaves an unknown outcome unknown, unless a person is needed.
    needs_person = expected is Event.NEEDS_PERSON
    probed = Event.NEEDS_PERSON if needs_person else Event.PROBE_FAILED
    assert probed is meaning(error, state=State.UNKNOWN)
    # Five refusals block, and nothing else is counted.
    assert 5 == MAX_REFUSALS
    assert expected is meaning(error, refusals=4)
    blocks = Event.REFUSED_TOO_OFTEN if expected is Event.REFUSED else expected
    assert blocks is meaning(error, refusals=5)


def test_the_fourth_conflict_of_a_run_is_a_refusal() -> None:
    conflict = Conflict(*UNNAMED)
    assert Event.NOT_TAKEN is meaning(conflict, sends=3)
    assert Event.REFUSED is meaning(conflict, sends=4)
    assert Event.REFUSED_TOO_OFTEN is meaning(conflict, sends=4, refusals=5)


# What begins a contact, and how a step can end that meets no error.
BEGINNINGS = {
    (State.PENDING, Event.SENDING),
    (State.RETRY_AT, Event.TIME_CAME),
    (State.BLOCKED, Event.NAMED),
}
ENDS = {
    (State.SENT, Event.REACHED),
    *product((State.SENT, State.UNKNOWN), (Event.PROBED_DONE, Event.PROBED_LEFT, Event.GONE)),
}


def test_the_table_has_a_row_for_each_way_that_a_step_can_begin_and_end_and_no_other() -> None:
    failures = {
        (state, meaning(error, state=state, sent=sent, sends=sends, refusals=refusals))
        for error in MEANINGS
        for state, sent, sends, refusals in product(
            (State.SENT, State.UNKNOWN), BOTH, (1, MAX_SENDS), (1, MAX_REFUSALS)
        )
    }
    assert BEGINNINGS | ENDS | failures == set(TABLE)
