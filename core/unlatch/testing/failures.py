"""Tests of requests that fail: searches that miss nothing, and errors of the right class."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    Moved,
    NotFound,
    Redirected,
    Rejected,
    SignOnRequired,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
    Unreachable,
)
from unlatch.spi import Capability, Change, Goal, Outcome, SyncPlugin
from unlatch.testing.actions import (
    LONG_AGO,
    apply,
    comment_text,
    draft,
    error_of,
    make_change,
    offered,
    require,
)
from unlatch.testing.clone import KEPT, REOPEN, check_item
from unlatch.testing.faults import Fault, FaultKind, Request
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.spi.item import ItemRef
    from unlatch.testing.harness import Fixture

    Search = Callable[[SyncPlugin], object]

_NEWEST = 20
# The classes that delivery tells apart, subclasses first.
_CLASSES = (
    Redirected,
    Conflict,
    Limited,
    Unreachable,
    Transient,
    SignOnRequired,
    Forbidden,
    Unauthorised,
    Moved,
    NotFound,
    Rejected,
    UnknownOutcome,
)
_OF_A_WRITE = {
    FaultKind.UNAUTHORISED: Unauthorised,
    FaultKind.FORBIDDEN: Forbidden,
    FaultKind.LIMITED: Limited,
    FaultKind.LIMITED_UNTIL: Limited,
    FaultKind.STALE: Conflict,
    FaultKind.DROPPED: UnknownOutcome,
}


_OF_A_DELETION = {
    FaultKind.UNAUTHORISED: Unauthorised,
    FaultKind.LIMITED: Limited,
    FaultKind.LOST_REPLY: UnknownOutcome,
    FaultKind.FAILED_BEFORE: UnknownOutcome,
}


class Failures:
    """Requests that fail, each in turn, and what the methods make of them."""

    @pytest.mark.parametrize(
        "kind", [FaultKind.FORBIDDEN, FaultKind.DROPPED], ids=lambda kind: kind.value
    )
    def test_a_search_that_fails_does_not_find_nothing(
        self, fixture: Fixture, kind: FaultKind
    ) -> None:
        require(fixture, Capability.REOPEN)
        for name, search in _searches(fixture).items():
            whole = search(fixture.open())
            for result in _with_each_request_failed(fixture, kind, search):
                assert isinstance(result, TrackerError) or result == whole, (
                    f"{name}: a search that fails raises its error; it does not find less"
                )

    @pytest.mark.parametrize(
        "kind", [FaultKind.FORBIDDEN, FaultKind.DROPPED], ids=lambda kind: kind.value
    )
    def test_many_items_that_cannot_be_read_are_not_missing(
        self, fixture: Fixture, kind: FaultKind
    ) -> None:
        require(fixture, Capability.STATUS_OF_MANY)
        refs = [fixture.make(is_open=True) for _ in range(2)]
        for result in _with_each_request_failed(
            fixture, kind, lambda plugin: [plugin.read_many(refs).get(ref) for ref in refs]
        ):
            results = [result] if isinstance(result, TrackerError) else result
            assert isinstance(results, list), "a result for each item"
            wrong = [item for item in results if item is None or isinstance(item, NotFound)]
            assert wrong == [], (
                "`read_many` raises the error of a request, or gives it to each item; "
                f"none is missing: {wrong}"
            )

    @pytest.mark.parametrize("kind", _OF_A_WRITE, ids=lambda kind: kind.value)
    def test_a_refused_write_has_the_class_of_its_cause(
        self, fixture: Fixture, kind: FaultKind
    ) -> None:
        require(fixture, Capability.REOPEN)
        for number in count():
            item = fixture.make(is_open=False, labels=(KEPT, REOPEN.before))
            plugin, wanted = fixture.open(), make_change(fixture, REOPEN)
            snapshot = plugin.read(item, wanted)
            fixture.proxy.clear()
            fixture.proxy.arm(Fault(kind, number, _writes))
            result = _result_of(lambda: plugin.write(snapshot, wanted))  # noqa: B023
            if not _has_failed(fixture):
                return
            if isinstance(result, TrackerError):
                check_class(result, _OF_A_WRITE[kind], f"a write with {kind}")
                continue
            # A refused label is no error, and the transport repeats a read that is a POST.
            assert isinstance(result, Outcome), "a write returns its outcome"
            refused = result.refused if kind is FaultKind.FORBIDDEN else ()
            where = f"a write with {kind} that reports success"
            check_item(fixture, item, REOPEN, differing=refused, where=where)

    @pytest.mark.parametrize("kind", _OF_A_DELETION, ids=lambda kind: kind.value)
    def test_a_deletion_that_fails_has_the_class_of_its_cause(
        self, fixture: Fixture, kind: FaultKind
    ) -> None:
        require(fixture, Capability.RETRACT)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("too much")))
        (comment,) = fixture.plugin.find_comments(item, op)
        plugin = fixture.open()  # another process: a refused token ends its requests
        fixture.proxy.arm(Fault(kind, matches=_writes))
        error = error_of(lambda: plugin.retract_comment(item, comment))
        check_class(error, _OF_A_DELETION[kind], f"a deletion with {kind}")
        fixture.open().retract_comment(item, comment)
        left = fixture.harness.comments(item.id)
        assert [*left] == [], "a deletion that failed can be repeated"

    def test_a_refused_read_is_unauthorised(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS)
        item = fixture.make(is_open=True)
        fixture.proxy.arm(Fault(FaultKind.UNAUTHORISED))
        error = error_of(lambda: fixture.open().read(item))
        check_class(error, Unauthorised, "a read with a refused token")

    def test_a_wrong_token_is_unauthorised(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS)
        item, credential = fixture.make(is_open=True), fixture.credential
        wrong = replace(
            credential,
            secret=f"{credential.secret[:-1]}{'a' if credential.secret[-1] != 'a' else 'b'}",
        )
        error = error_of(lambda: fixture.open(credential=wrong).read(item))
        if error is None:
            pytest.skip("the server accepts any token, or none")
        check_class(error, Unauthorised, "a read with a wrong token")

    def test_a_write_without_the_right_to_it_waits_for_a_person(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        environ = offered(fixture.harness.read_only_environ, "the harness has no such credential")
        plugin = fixture.open(credential=fixture.find_credential(environ))
        item, wanted = fixture.make(is_open=False), Change(new_ulid(), Goal.OPEN)
        snapshot = plugin.read(item, wanted)
        error = error_of(lambda: plugin.write(snapshot, wanted))
        # With these, delivery blocks the operation, and goes on with other items.
        assert isinstance(error, Forbidden | NotFound | Rejected), (
            f"a write without the right to it: Forbidden, NotFound or Rejected, not {error!r}"
        )

    def test_a_read_that_fails_after_a_write_leaves_its_effect_unknown(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.REOPEN)
        for number in count():
            item = fixture.make(is_open=False, labels=(KEPT, REOPEN.before))
            wanted = make_change(fixture, REOPEN)
            snapshot = fixture.plugin.read(item, wanted)
            fixture.proxy.clear()
            fixture.proxy.arm(Fault(FaultKind.FORBIDDEN, number, _reads_after_a_write(fixture)))
            error = error_of(lambda: fixture.plugin.write(snapshot, wanted))  # noqa: B023
            if not _has_failed(fixture):
                return
            if error is None:
                check_item(fixture, item, REOPEN, where="a write with a refused read after it")
            else:
                check_class(error, UnknownOutcome, "a write with a refused read after it")


def check_class(error: object, expected: type[TrackerError], what: str) -> None:
    """Check the class of an error, by which delivery decides."""
    actual = next((kind for kind in _CLASSES if isinstance(error, kind)), None)
    assert actual is expected, f"{what} raises {expected.__name__}, not {error!r}"


def _searches(fixture: Fixture) -> dict[str, Search]:
    """The methods that search for markers, each as what delivery takes from its result."""
    item, op = fixture.make(is_open=True), new_ulid()
    apply(fixture, item, Change(op, comment=comment_text("found")))
    searches: dict[str, Search] = {
        "`find_comments`": lambda plugin: [
            comment.id for comment in plugin.find_comments(item, op)
        ],
        "`find_ops`": lambda plugin: plugin.find_ops(item),
    }
    if fixture.can(Capability.HISTORY):
        searches["`read_history`"] = lambda plugin: _history(plugin, item)
    if fixture.can(Capability.LIST):
        # Others may make items meanwhile.
        searches["`list_items`"] = lambda plugin: (
            item in (listed.ref for listed in islice(plugin.list_items(None), _NEWEST))
        )
    if fixture.can(Capability.CREATE):
        change = Change(new_ulid(), draft=draft(fixture.title(), "A body"))
        fixture.plugin.create(change)
        searches["`find_created`"] = lambda plugin: getattr(
            plugin.find_created(change.op, LONG_AGO), "ref", None
        )
    return searches


def _history(plugin: SyncPlugin, item: ItemRef) -> tuple[object, ...]:
    history = plugin.read_history(item)
    return [comment.id for comment in history.comments], [
        change.state for change in history.changes
    ]


def _with_each_request_failed(
    fixture: Fixture, kind: FaultKind, act: Callable[[SyncPlugin], object]
) -> Iterator[object]:
    """The result or error of an act, with a fault at each of its requests in turn."""
    for number in count():
        plugin = fixture.open()  # another process, which has cached nothing
        fixture.proxy.clear()
        fixture.proxy.arm(Fault(kind, number))
        result = _result_of(lambda: act(plugin))  # noqa: B023
        if not _has_failed(fixture):
            return
        yield result


def _result_of(act: Callable[[], object]) -> object:
    try:
        return act()
    except TrackerError as error:
        return error


def _has_failed(fixture: Fixture) -> bool:
    """Whether a request had the fault; if not, no later one gets it."""
    failed = any(sent.faulted for sent in fixture.proxy.sent)
    fixture.proxy.clear()
    return failed


def _writes(request: Request) -> bool:
    return request.is_write


def _reads_after_a_write(fixture: Fixture) -> Callable[[Request], bool]:
    def matches(request: Request) -> bool:
        written = any(sent.request.is_write for sent in fixture.proxy.sent)
        return written and not request.is_write

    return matches
