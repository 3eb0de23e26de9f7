"""Many work items changed in few requests."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from tests.unlatch_ado.making import (
    OP,
    closed_item,
    creating,
    plugin_for,
    ref,
    reopening,
    sent_requests,
)

from unlatch.errors import Conflict, Forbidden, Limited, UnknownOutcome
from unlatch.spi import Change, DeliveryOptions, Goal, Outcome, Snapshot
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox

Wanted = list[tuple[Snapshot, Change]]


def read(box: Sandbox, plugin: AdoPlugin, numbers: Iterable[int], change: Change) -> Wanted:
    found = plugin.read_many([ref(box, number) for number in numbers], change).values()
    return [(one, change) for one in found if isinstance(one, Snapshot)]


def state_of(box: Sandbox, number: int) -> str:
    return str(box.ado.work_item(number)["fields"]["System.State"])


SILENT = DeliveryOptions(plugin=frozenset({"no-notify"}))


@pytest.mark.parametrize("is_setting", [True, False])
def test_notifications_are_suppressed_on_request(box: Sandbox, *, is_setting: bool) -> None:
    plugin = plugin_for(box, notify=not is_setting)
    change = reopening() if is_setting else reopening(options=SILENT)
    alone, *numbers = [closed_item(box) for _ in range(4)]
    plugin.write_many(read(box, plugin, numbers, change))
    plugin.write(plugin.read(ref(box, alone), change), change)
    assert [box.ado.mails(it) for it in (alone, *numbers)] == [0] * 4
    assert [len(box.ado.comments(it)) for it in (alone, *numbers)] == [1] * 4
    made = plugin.create(replace(creating(), options=change.options)).after.ref
    assert box.ado.mails(int(made.id)) == 0
    loud = closed_item(box)
    plugin_for(box).write(plugin.read(ref(box, loud), reopening()), reopening())
    assert box.ado.mails(loud) == 1


def test_account_that_may_not_suppress_notifications_changes_the_item_with_them(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number, change = closed_item(box), reopening(options=SILENT)
    snapshot = plugin.read(ref(box, number), change)
    for method in ("PATCH", "POST"):
        box.faults.add(Fault("ado", "status", method=method, code=403, body="no"))
    outcome = plugin.write(snapshot, change)
    made = plugin.create(replace(creating(), options=SILENT))
    assert (state_of(box, number), box.ado.mails(number)) == ("Active", 1)
    for notes in (outcome.notes, made.notes):
        assert ["notifications were sent" in note for note in notes] == [True]


def test_parents_of_many_are_read_in_one_more_request(box: Sandbox, plugin: AdoPlugin) -> None:
    parent = box.ado.add_work_item(type="Feature", title="Feature", state="Closed")
    numbers = [closed_item(box, parent=parent) for _ in range(3)]
    outcomes = plugin.write_many(read(box, plugin, numbers, reopening()))
    assert sent_requests(box) == ["POST", "POST", "PATCH"]
    assert [one.notes for one in outcomes if isinstance(one, Outcome)] == [
        (f"its parent {parent} is Closed",)
    ] * 3


def test_parents_that_cannot_be_read_stop_nothing(box: Sandbox, plugin: AdoPlugin) -> None:
    parent = box.ado.add_work_item(type="Feature", title="Feature", state="Closed")
    numbers = [closed_item(box, parent=parent) for _ in range(2)]
    box.faults.add(Fault("ado", "status", path="(?i)batch", code=403, body="no", after=1))
    outcomes = plugin.write_many(read(box, plugin, numbers, reopening()))
    notes = [note for one in outcomes if isinstance(one, Outcome) for note in one.notes]
    assert [f"its parent {parent} could not be read"] * 2 == [
        note.partition(":")[0] for note in notes
    ]
    assert [state_of(box, number) for number in numbers] == ["Active", "Active"]


def test_an_item_whose_parent_is_reopened_first_is_written_by_itself(box: Sandbox) -> None:
    plugin = plugin_for(box, on_reopen={"parent": "reopen"})
    parent = box.ado.add_work_item(type="Feature", title="Feature", state="Closed")
    [child, other] = [closed_item(box, parent=parent), closed_item(box)]
    wanted = read(box, plugin, [child, other], reopening())
    by_itself, together = plugin.write_many(wanted)
    assert by_itself is None
    assert isinstance(together, Outcome)
    assert (state_of(box, parent), state_of(box, child)) == ("Closed", "Closed")
    assert plugin.write(*wanted[0]).after.state == "Active"
    assert state_of(box, parent) == "Active"


def test_an_item_that_changed_since_its_snapshot_is_a_conflict_of_its_own(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    numbers = [closed_item(box) for _ in range(2)]
    wanted = read(box, plugin, numbers, reopening())
    box.ado.edit(numbers[0], tags=["urgent"])
    first, second = plugin.write_many(wanted)
    assert isinstance(first, Conflict)
    assert isinstance(second, Outcome)
    assert [len(box.ado.comments(number)) for number in numbers] == [0, 1]


def test_a_refused_item_is_written_by_itself(box: Sandbox, plugin: AdoPlugin) -> None:
    box.ado.add_project("widgets", create_tags=False)
    wanted = read(box, plugin, [closed_item(box)], reopening())
    assert plugin.write_many(wanted) == [None]
    assert plugin.write(*wanted[0]).refused == ("reopened",)

    plugin = plugin_for(box, states={"reopened": "Nirvana"})
    box.requests.clear()
    assert plugin.write_many(read(box, plugin, [closed_item(box)], reopening())) == [None]
    assert sent_requests(box) == ["POST"]


def test_nothing_is_sent_where_nothing_differs(box: Sandbox, plugin: AdoPlugin) -> None:
    wanted = read(box, plugin, [closed_item(box)], Change(OP, Goal.COMPLETED))
    assert plugin.write_many(wanted) == [Outcome(wanted[0][0].item)]
    assert sent_requests(box) == ["POST"]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "drop-after"}, UnknownOutcome),
        ({"kind": "status", "code": 503, "headers": {"Retry-After": "1"}}, UnknownOutcome),
        ({"kind": "status", "code": 429, "headers": {"Retry-After": "1"}}, Limited),
        ({"kind": "status", "code": 403, "body": "no"}, Forbidden),
    ],
)
def test_a_batch_that_fails_is_sent_once(
    box: Sandbox, plugin: AdoPlugin, fault: dict[str, Any], error: type[Exception]
) -> None:
    wanted = read(box, plugin, [closed_item(box) for _ in range(3)], reopening())
    box.faults.add(Fault("ado", method="PATCH", **fault))
    with pytest.raises(error):
        plugin.write_many(wanted)
    assert sent_requests(box) == ["POST", "PATCH"]
