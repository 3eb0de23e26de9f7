"""Tests that a plugin sends exactly the planned requests, and asks without writing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from unlatch.errors import Forbidden, Rejected, TrackerError, Unauthorised
from unlatch.spi import Capability, Change, Goal, ItemRef, PlannedRequest, Snapshot, SyncPlugin
from unlatch.testing.actions import (
    apply,
    comment_text,
    draft,
    error_of,
    make_change,
    offered,
    require,
    writes,
)
from unlatch.testing.clone import CLOSE, KEPT, REOPEN, Transition, check_labels
from unlatch.testing.failures import check_class
from unlatch.testing.faults import Fault, FaultKind
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from unlatch.testing.harness import Fixture

Listed = list[tuple[str, str]]
RIGHTS = {"read", "reopen", "comment", "label", "create", "retract"}
_REFUSALS: dict[FaultKind, type[TrackerError]] = {
    FaultKind.REFLECTED: Rejected,
    FaultKind.FORBIDDEN: Forbidden,
    FaultKind.UNAUTHORISED: Unauthorised,
}
_LOST = (FaultKind.LOST_REPLY, FaultKind.FAILED_BEFORE)


class Planning:
    """`plan`, compared with `read` and `write`, and with `create`."""

    @pytest.mark.parametrize(
        "transition", [REOPEN, CLOSE], ids=lambda transition: transition.operation.value
    )
    def test_the_planned_requests_are_those_that_are_sent(
        self, fixture: Fixture, transition: Transition
    ) -> None:
        require(fixture, Capability.REOPEN if transition.opens else Capability.CLOSE)
        item = fixture.make(is_open=not transition.opens, labels=(KEPT, transition.before))
        fixture.make(is_open=True, labels=(transition.after,))  # the tracker knows the label
        planned = _planned(fixture, item, wanted := make_change(fixture, transition))
        apply(fixture, item, wanted)
        assert planned == _sent(fixture), "`plan` lists the requests of `read` and `write`"

    def test_the_planned_requests_of_an_update_are_those_that_are_sent(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.UPDATE)
        item = fixture.make(is_open=True)
        wanted = Change(new_ulid(), draft=draft(fixture.title(), "A body"))
        planned = _planned(fixture, item, wanted)
        apply(fixture, item, wanted)
        assert planned == _sent(fixture), "`plan` lists the requests of `read` and `write`"

    def test_a_planned_create_lists_the_writing_requests(self, fixture: Fixture) -> None:
        require(fixture, Capability.CREATE)
        wanted = Change(new_ulid(), draft=draft(fixture.title(), "A body"))
        planned = [request for request in _planned(fixture, None, wanted) if request[0] != "GET"]
        fixture.plugin.create(wanted)
        # A read that follows has an address that only the tracker's answer can give.
        sent = [request for request in _sent(fixture) if request[0] != "GET"]
        assert planned == sent, "`plan` lists the requests of `create`"


class Consultation:
    """`approve` and `examine`, which ask a tracker and change nothing there."""

    def test_an_approval_changes_nothing(self, fixture: Fixture) -> None:
        require(fixture, Capability.APPROVE)
        require(fixture, Capability.REOPEN)
        item, wanted = _closed(fixture), make_change(fixture, REOPEN)
        snapshot = fixture.plugin.read(item, wanted)
        fixture.proxy.clear()
        fixture.plugin.approve(snapshot, wanted)
        assert fixture.proxy.sent != (), "an approval asks the tracker"
        _check_closed(fixture, item, where="an approval")

    def test_a_create_is_approved_without_an_item(self, fixture: Fixture) -> None:
        require(fixture, Capability.APPROVE)
        require(fixture, Capability.CREATE)
        title = fixture.title()
        fixture.plugin.approve(None, Change(new_ulid(), draft=draft(title, "A body")))
        assert [*fixture.harness.find_by_title(title)] == [], "an approval creates nothing"

    @pytest.mark.parametrize("kind", [*_REFUSALS, *_LOST], ids=lambda kind: kind.value)
    def test_an_approval_that_fails_raises_its_error(
        self, fixture: Fixture, kind: FaultKind
    ) -> None:
        require(fixture, Capability.APPROVE)
        require(fixture, Capability.REOPEN)
        item, wanted = _closed(fixture), make_change(fixture, REOPEN)
        _check_approval(fixture, fixture.plugin.read(item, wanted), wanted, kind)
        _check_closed(fixture, item, where=f"an approval with {kind}")
        if fixture.can(Capability.CREATE):
            _check_approval(fixture, None, Change(new_ulid(), draft=draft("New", "A body")), kind)

    def test_an_examination_shows_rights_and_writes_nothing(self, fixture: Fixture) -> None:
        require(fixture, Capability.EXAMINE)
        item = _closed(fixture)
        examination = fixture.plugin.examine([item])
        _check_closed(fixture, item, where="an examination")
        rights = {name: may for place in examination.places for name, may in place.rights.items()}
        unknown = sorted({*rights} - RIGHTS)
        assert unknown == [], f"the names of rights are those of `Access`: {sorted(RIGHTS)}"
        places = [place.target for place in examination.places]
        assert item.target in places, "an examination names places as `ItemRef.target` does"
        assert True in rights.values(), "an examination shows the rights of the credential"
        denied = [name for name, may in rights.items() if may is False]
        assert denied == [], "an examination denies no right that the credential has"
        errors = [remark.message for remark in examination.remarks if remark.is_error]
        assert errors == [], "an examination finds no error in settings that work"

    def test_an_examination_without_access_shows_no_right(self, fixture: Fixture) -> None:
        require(fixture, Capability.EXAMINE)
        item = _closed(fixture)
        fixture.proxy.arm(Fault(FaultKind.UNAUTHORISED))
        try:
            examination = fixture.open().examine([item])
        except TrackerError:
            return
        rights = [may for place in examination.places for may in place.rights.values()]
        assert True not in rights, "an examination with a refused token shows no right"
        is_empty = (examination.login, examination.places, examination.remarks) == (None, (), ())
        assert not is_empty, "an examination that determines nothing raises TrackerError"

    def test_an_examination_grants_no_right_that_the_credential_lacks(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.EXAMINE)
        environ = offered(fixture.harness.read_only_environ, "the harness has no such credential")
        plugin, item = fixture.open(credential=fixture.find_credential(environ)), _closed(fixture)
        places = [place for place in plugin.examine([item]).places if place.target == item.target]
        granted = {name for place in places for name, may in place.rights.items() if may}
        # On some trackers, everybody may comment, or create items.
        changes = {
            "reopen": Change(new_ulid(), Goal.OPEN),
            "comment": Change(new_ulid(), comment=comment_text("a test")),
            "label": Change(new_ulid(), add_labels=fixture.labels("reopened")),
            "create": Change(new_ulid(), draft=draft(fixture.title(), "A body")),
        }
        lacking = [
            name
            for name, change in changes.items()
            if name in granted and not _is_done(plugin, item, change)
        ]
        assert lacking == [], f"an examination shows no right that the credential lacks: {lacking}"


def _is_done(plugin: SyncPlugin, item: ItemRef, change: Change) -> bool:
    try:
        if change.draft is not None:
            return plugin.create(change).refused == ()
        return plugin.write(plugin.read(item, change), change).refused == ()
    except TrackerError:
        return False


def _check_approval(
    fixture: Fixture, snapshot: Snapshot | None, wanted: Change, kind: FaultKind
) -> None:
    plugin = fixture.open()  # another process: a refused token ends its requests
    fixture.proxy.clear()
    fixture.proxy.arm(Fault(kind, matches=lambda request: request.is_write))
    error, what = error_of(lambda: plugin.approve(snapshot, wanted)), f"an approval with {kind}"
    assert fixture.proxy.sent != (), "an approval asks the tracker"
    if not any(sent.faulted for sent in fixture.proxy.sent):
        return  # it only reads
    if kind in _REFUSALS:
        check_class(error, _REFUSALS[kind], what)
    else:
        # An approval changes nothing, so the plugin may send its request again.
        is_answered = not fixture.proxy.sent[-1].faulted
        assert error or is_answered, f"{what} raises its error; it does not approve unasked"


def _closed(fixture: Fixture) -> ItemRef:
    return fixture.make(is_open=False, labels=(KEPT,))


def _check_closed(fixture: Fixture, item: ItemRef, *, where: str) -> None:
    actual = fixture.harness.is_open(item.id), [*fixture.harness.comments(item.id)]
    assert actual == (False, []), f"{where} changes nothing"
    check_labels(fixture, item, {*fixture.labels(KEPT)}, where=f"{where} changes no label")


def _planned(fixture: Fixture, item: ItemRef | None, wanted: Change) -> Listed:
    """The planned requests of a change; planning sends no write."""
    fixture.proxy.clear()
    snapshot = None if item is None else fixture.plugin.read(item, wanted)
    assert writes(fixture) == [], "`read` sends no writing request"
    fixture.proxy.clear()
    planned = fixture.plugin.plan(snapshot, wanted)
    assert writes(fixture) == [], "`plan` sends no writing request"
    fixture.proxy.clear()
    return [_shown(request) for request in planned]


def _shown(planned: PlannedRequest) -> tuple[str, str]:
    return planned.method, unquote(planned.url)


def _sent(fixture: Fixture) -> Listed:
    requests = [sent.request for sent in fixture.proxy.sent]
    paths = [unquote(request.target.partition("?")[0]) for request in requests]
    return [
        (request.method, f"{fixture.proxy.origin}{path}")
        for request, path in zip(requests, paths, strict=True)
    ]
