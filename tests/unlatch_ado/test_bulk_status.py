"""Many work items in few requests."""

from collections.abc import Mapping

from tests.unlatch_ado.making import add_noise, ref, sent_requests

from unlatch.errors import NotFound, Rejected, TrackerError, Transient
from unlatch.spi import ItemRef
from unlatch.spi.item import Snapshot
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox


def states(found: Mapping[ItemRef, Snapshot | TrackerError]) -> list[str]:
    return [one.item.state if isinstance(one, Snapshot) else one.id for one in found.values()]


def test_two_hundred_are_asked_for_at_once_and_those_before_a_failure_count(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    refs = add_noise(box, range(1001, 1202))
    box.requests.clear()
    found = plugin.read_many(refs)
    assert sent_requests(box) == ["POST", "POST"]
    assert set(states(found)) == {"New"}
    assert list(found) == refs

    box.faults.add(Fault("ado", "status", path="(?i)batch", code=503, times=9, after=1))
    found = plugin.read_many(refs)
    assert states(found) == ["New"] * 200 + ["tracker-unavailable"]


def test_what_is_missing_hidden_or_foreign_fails_for_itself(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    box.ado.add_project("secret")
    box.ado.add_area("widgets\\Vault", allows="nothing")
    gone, good = box.ado.add_work_item(title="gone"), box.ado.add_work_item(title="good")
    hidden = box.ado.add_work_item(title="hidden", area="widgets\\Vault")
    foreign = box.ado.add_work_item("secret", title="Merger")
    box.ado.delete(gone)
    refs = [ref(box, number) for number in (gone, good, 999, hidden, foreign)]
    found = plugin.read_many(refs)
    assert states(found) == [
        "item-not-found",
        "New",
        "item-not-found",
        "item-not-found",
        "target-not-allowed",
    ]
    assert isinstance(found[refs[0]], NotFound)
    assert isinstance(found[refs[4]], Rejected)
    assert "Merger" not in str(found[refs[4]])


def test_a_type_that_cannot_be_read_is_asked_for_once(box: Sandbox, plugin: AdoPlugin) -> None:
    refs = [ref(box, box.ado.add_work_item(title="x")) for _ in range(5)]
    box.faults.add(Fault("ado", "status", path="(?i)workitemtypes", code=503, times=99))
    found = plugin.read_many(refs)
    assert {type(one) for one in found.values()} == {Transient}
    asked = [e for e in box.requests.entries("ado") if "workitemtypes" in e.path.lower()]
    assert len(asked) == 3  # one request and its repetitions


def test_one_answer_that_cannot_be_read_spoils_no_other(box: Sandbox, plugin: AdoPlugin) -> None:
    numbers = [box.ado.add_work_item(title=title) for title in ("a", "b")]
    items = [box.ado.work_item(number) for number in numbers]
    del items[0]["fields"]["System.State"]
    body = {"count": 2, "value": items}
    box.faults.add(Fault("ado", "status", path="(?i)batch", code=200, body=body))
    found = plugin.read_many([ref(box, number) for number in numbers])
    assert states(found) == ["answer-not-understood", "New"]
