"""Plugins that break one promise each run in place of the plugins that come with unlatch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import pytest

from unlatch.spi import SyncPlugin
from unlatch.testing import FaultKind
from unlatch.testing.conformance import Conformance
from unlatch.testing.harness import READ_SECONDS, Fixture
from unlatch.testing.scenario import FaultCase
from unlatch.transport.credentials import Credential

Anything = Callable[..., Any]


class MutatedFixture(Fixture):
    """A fixture whose plugin gets the methods of a mutant, if there is one."""

    mutant: type[SyncPlugin] | None = None

    @cached_property
    def plugin(self) -> SyncPlugin:
        return self.open()

    def open(
        self, read_seconds: float = READ_SECONDS, *, credential: Credential | None = None
    ) -> SyncPlugin:
        guarded: Any = super().open(read_seconds, credential=credential)
        if self.mutant is not None:
            plugin = guarded._inner
            assert issubclass(self.mutant, type(plugin))
            plugin.__class__ = self.mutant
        opened: SyncPlugin = guarded
        return opened


@dataclass(frozen=True, slots=True)
class Broken:
    """A mutant, the test of the kit that it fails, and the promise as the failure names it."""

    mutant: type[SyncPlugin]
    test: str
    promise: str
    arguments: Mapping[str, object]

    def check(self, fixture: Fixture) -> None:
        """Run the test of the kit; a skipped one proves nothing."""
        try:
            getattr(Conformance(), f"test_{self.test}")(fixture, **self.arguments)
        except pytest.skip.Exception as skipped:
            raise LookupError(f"the kit skips {self.test}: {skipped}") from skipped


BROKEN: list[Broken] = []


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a plugin; each call of these notes a mutant, and the promise that it breaks."""

    plugin: type[Any]
    name: str

    def instead(self, test: str, promise: str, wrong: Anything, **arguments: object) -> None:
        """`wrong` gets the plugin, the right method, and what that would get."""
        right = getattr(self.plugin, self.name)

        def call(plugin: Any, *given: Any) -> Any:
            return wrong(plugin, lambda *changed: right(plugin, *changed), *given)

        mutant = type(self.name, (self.plugin,), {self.name: call})
        BROKEN.append(Broken(mutant, test, promise, arguments))

    def returns(self, test: str, promise: str, alter: Anything, **arguments: object) -> None:
        """`alter` makes another result of the right one."""

        def altered(_: object, right: Anything, *given: object) -> Any:
            return alter(right(*given))

        self.instead(test, promise, altered, **arguments)

    def gets(self, test: str, promise: str, alter: Anything, **arguments: object) -> None:
        """`alter` makes another last argument: the change."""

        def altered(_: object, right: Anything, *given: object) -> Any:
            return right(*given[:-1], alter(given[-1]))

        self.instead(test, promise, altered, **arguments)

    def sees(self, test: str, promise: str, alter: Anything, **arguments: object) -> None:
        """`alter` makes another first argument of all that the method gets."""

        def altered(_: object, right: Anything, *given: object) -> Any:
            return right(alter(*given), *given[1:])

        self.instead(test, promise, altered, **arguments)

    def fails(
        self, test: str, promise: str, error: type[Exception], alter: Anything, **arguments: object
    ) -> None:
        """`alter` returns or raises something else in place of an error."""

        def caught(_: object, right: Anything, *given: object) -> Any:
            try:
                return right(*given)
            except error as failure:
                return alter(failure)

        self.instead(test, promise, caught, **arguments)


def fail(error: Exception) -> NoReturn:
    """Raise an error from within an expression."""
    raise error from None


def changed(thing: Any, **facts: Any) -> Any:
    """A copy with other facts; a function makes one of the thing."""
    values = {name: fact(thing) if callable(fact) else fact for name, fact in facts.items()}
    return replace(thing, **values)


def of(field: str, **facts: Any) -> Anything:
    """What changes the facts of a field, or of each element of it."""

    def change(thing: Any) -> Any:
        inner = getattr(thing, field)
        is_many = isinstance(inner, tuple)
        other = each(**facts)(inner) if is_many else inner and changed(inner, **facts)
        return replace(thing, **{field: other})

    return change


def each(**facts: Any) -> Anything:
    """What changes the facts of all elements."""
    return lambda things: tuple(changed(thing, **facts) for thing in things)


def struck(fault: FaultKind) -> dict[str, Any]:
    """The arguments of a test of resilience."""
    return {"case": FaultCase(fault), "record_property": lambda *_: None}
