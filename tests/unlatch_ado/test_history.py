"""Who changed the state of a work item, and whether it was opened or closed."""

import pytest
from tests.unlatch_ado.making import plugin_for, ref

from unlatch.spi import ItemHistory
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.ado import shapes
from unlatch_sandbox.ado.admin import OWNER, PERSON

ACCOUNT, TYPE = "(?i)connectiondata", "(?i)/workitemtypes/"


def moved_item(box: Sandbox) -> int:
    """A work item that a person closed, and our account opened again."""
    number = box.ado.add_work_item(title="Smart", state="Active")
    box.ado.edit(number, state="Closed", by=PERSON)
    box.ado.edit(number, state="Active", by=OWNER)
    return number


def owners(found: ItemHistory) -> list[bool | None]:
    return [one.own for one in found.changes[-2:]]


def test_the_account_is_asked_for_once_also_if_it_is_refused(box: Sandbox) -> None:
    number, plugin = moved_item(box), plugin_for(box)
    box.faults.add(Fault("ado", "status", path=ACCOUNT, code=403, body="no", times=9))

    found = [plugin.read_history(ref(box, number)) for _ in range(2)]

    assert [[None, None]] * 2 == [owners(one) for one in found]
    assert 1 == sum("connectiondata" in one.path.lower() for one in box.requests.entries())


@pytest.mark.parametrize("ids", [True, False])
def test_accounts_are_compared_by_their_ids_else_their_addresses(
    box: Sandbox, ids: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = moved_item(box)
    if not ids:
        hide_ids(monkeypatch)

    found = plugin_for(box).read_history(ref(box, number))

    # Another address may be one of the same account.
    assert [False if ids else None, True] == owners(found)


def hide_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server show no ids of accounts, as older ones may."""
    shown = shapes.identity

    def identity(*arguments: object) -> object:
        found = shown(*arguments)  # type: ignore[arg-type]
        del found["id"]
        return found

    monkeypatch.setattr(shapes, "identity", identity)


def test_a_state_that_is_gone_counts_as_nothing(box: Sandbox) -> None:
    number, plugin = moved_item(box), plugin_for(box)
    box.faults.add(Fault("ado", "status", path=TYPE, code=404, body="no", times=9))

    found = plugin.read_history(ref(box, number))

    assert [None, None] == [one.is_open for one in found.changes[-2:]]
