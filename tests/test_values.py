"""`unlatch.values.dataclass` makes what `dataclasses.dataclass` makes, as far as values show."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING, Any

import pytest

from unlatch import values

if TYPE_CHECKING:
    from collections.abc import Callable


def point(decorate: Callable[..., Any]) -> Any:
    @decorate(frozen=True, slots=True)
    class Point:
        """A place."""

        x: int
        names: tuple[str, ...] = ()
        _: KW_ONLY
        note: str = field(default="", compare=False)
        secret: str = field(default="s", repr=False)

        @property
        def double(self) -> int:
            return 2 * self.x

    return Point


OURS, THEIRS = point(values.dataclass), point(dataclasses.dataclass)
SOME = [((1,), {}), ((1, ("a",)), {}), ((1,), {"note": "n"}), ((1,), {"secret": "t"}), ((2,), {})]


@pytest.mark.parametrize("one", SOME)
def test_values_show_equal_and_hash_like_those_of_the_standard_library(one: Any) -> None:
    ours, theirs = OURS(*one[0], **one[1]), THEIRS(*one[0], **one[1])

    assert repr(theirs) == repr(ours)
    assert theirs.double == ours.double
    assert dataclasses.asdict(theirs) == dataclasses.asdict(ours)
    for two in SOME:
        other = OURS(*two[0], **two[1])
        assert (theirs == THEIRS(*two[0], **two[1])) is (ours == other)
        assert ours != other or hash(ours) == hash(other)


def test_values_of_different_classes_differ() -> None:
    assert OURS(1) != THEIRS(1)
    assert point(values.dataclass)(1) != OURS(1)


def test_a_value_is_replaced_and_copied_and_has_no_other_attributes() -> None:
    value = OURS(1, note="n")

    assert OURS(2, note="n") == dataclasses.replace(value, x=2)
    assert value == copy.deepcopy(value)
    assert not hasattr(value, "__dict__")
    with pytest.raises(AttributeError):
        value.other = 1


@values.dataclass(frozen=True, slots=True)
class Empty:
    pass


@values.dataclass(frozen=True, slots=True)
class Named:
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.name.casefold() == self.name.casefold()

    def __hash__(self) -> int:
        return hash(self.name.casefold())


def test_the_methods_that_a_class_defines_stay() -> None:
    assert Named("a") == Named("A")
    assert {Named("a")} == {Named("A")}
    assert "Named(name='a')" == repr(Named("a"))


def test_a_value_without_fields_and_a_value_in_a_file() -> None:
    assert {Empty()} == {Empty()}
    assert Named("a") == pickle.loads(pickle.dumps(Named("a")))


def test_other_dataclasses_are_those_of_the_standard_library() -> None:
    @values.dataclass
    class Mutable:
        x: int

    @values.dataclass(frozen=True, eq=False)
    class Identity:
        x: int

    changed = Mutable(1)
    changed.x = 2
    assert Mutable(2) == changed
    assert Identity(1) != Identity(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Identity(1).x = 2  # type: ignore[misc]  # that is the point
