"""`unlatch.values.dataclass` makes what `dataclasses.dataclass` makes, as far as values show."""

import copy
import dataclasses
import inspect
import keyword
import pickle
import re
import weakref
from collections.abc import Callable
from dataclasses import KW_ONLY, field
from types import CodeType
from typing import Any, ClassVar

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from unlatch import values
from unlatch.patterns import pattern


def point(decorate: Callable[..., Any]) -> Any:
    @decorate(frozen=True, slots=True)
    class Point:
        """A place."""

        x: int
        names: tuple[str, ...] = ()
        _: KW_ONLY
        note: str = field(default="", compare=False)
        secret: str = field(default="s", repr=False)
        more: list[int] = field(default_factory=list, compare=False)

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
    assert ours not in (theirs, point(values.dataclass)(*one[0], **one[1]))


def test_a_value_takes_what_those_of_the_standard_library_take() -> None:
    ours, theirs = (inspect.signature(one).parameters.values() for one in (OURS, THEIRS))

    def shown(one: inspect.Parameter) -> tuple[object, ...]:
        return one.name, one.kind, one.annotation, repr(one.default)

    assert [shown(one) for one in theirs] == [shown(one) for one in ours]
    assert OURS(1).more is not OURS(1).more
    for wrong in ({}, {"x": 1, "unknown": 2}):
        with pytest.raises(TypeError, match="__init__"):
            OURS(**wrong)


GIVEN = [
    *SOME,
    ((), {}),
    ((), {"x": 1, "note": "n", "more": [1]}),
    ((1, ("a",), "note"), {}),
    ((1,), {"x": 2}),
    ((1,), {"_": 2}),
    ((1,), {"double": 2}),
]


@pytest.mark.parametrize("given", GIVEN, ids=repr)
def test_the_first_values_are_made_like_all_later_ones(given: Any) -> None:
    arguments, named = given

    def outcome(cls: Any) -> str:
        try:
            return f"{dataclasses.asdict(cls(*arguments, **named))}"
        except TypeError as error:
            return str(error).rpartition(".")[2]

    expected, fresh = outcome(THEIRS), point(values.dataclass)
    assert [expected] * 20 == [outcome(fresh) for _ in range(20)]
    assert inspect.isfunction(vars(fresh)["__init__"])  # compiled by now


def words_of(code: CodeType) -> set[str]:
    """The words in the texts of a function, which are the names in code that it compiles."""
    texts = [one for one in code.co_consts[1:] if isinstance(one, str)]
    return {word.strip("_") for one in texts for word in re.findall(r"\w+", one)}


WORDS = sorted({*words_of(values._compiled_init.__code__), "x"} - {*keyword.kwlist})
# With two underscores, a class would change the name.
NAMES = st.builds(str.__add__, st.sampled_from(["", "_"]), st.sampled_from(WORDS))
DEFAULTS = st.sampled_from([{"default": 1}, {"default": None}, {"default_factory": list}, {}])
FIELDS = st.builds(
    lambda init, kw_only, default: {"init": init, "kw_only": kw_only, **default},
    st.sampled_from([True, True, False]),
    st.sampled_from([True, True, False]),
    DEFAULTS,
)
SHAPES = st.dictionaries(NAMES.filter(str.isidentifier), FIELDS, max_size=5)
NUMBERS = st.integers(5, 9)


def made(decorate: Callable[..., Any], shape: dict[str, dict[str, Any]]) -> Any:
    """A class with these fields; the words of the error if they are refused."""
    types = {"__annotations__": dict.fromkeys(shape, "Any")}
    try:
        fields = {name: field(**options) for name, options in shape.items()}
        return decorate(frozen=True, slots=True)(type("Made", (), {**types, **fields}))
    except (TypeError, ValueError) as error:
        return f"{error}"


def parts(cls: Any, arguments: list[int], named: dict[str, int]) -> Any:
    """The attributes of a value; the words of the error if it is refused."""
    try:
        value = cls(*arguments, **named)
    except TypeError as error:
        return str(error).rpartition(".")[2]
    return {one.name: getattr(value, one.name, "unset") for one in dataclasses.fields(value)}


@given(SHAPES, st.lists(NUMBERS, max_size=3), st.dictionaries(NAMES, NUMBERS, max_size=3))
@example({"missing": {"default": 1}, "x": {"default_factory": list}}, [], {})
@example({"self": {}}, [], {"self": 5})
@example({"_x": {}, "x": {"default": 1, "init": False}}, [5], {})
def test_fields_of_any_name_are_those_of_the_standard_library(
    shape: dict[str, dict[str, Any]], arguments: list[int], named: dict[str, int]
) -> None:
    theirs = made(dataclasses.dataclass, shape)
    assume(not isinstance(theirs, str))  # mypy refuses those

    for one in (([], {}), (arguments, {}), ([], named), (arguments, named)):
        expected, fresh = parts(theirs, *one), made(values.dataclass, shape)
        assert [expected] * 10 == [parts(fresh, *one) for _ in range(10)]
        assert inspect.isfunction(vars(fresh)["__init__"])  # compiled by now


@pytest.mark.parametrize("base", [{}, {"frozen": True, "slots": True}, {"slots": True}])
@pytest.mark.parametrize("eq", [True, False])
@pytest.mark.parametrize(
    "option",
    [
        *({name: False} for name in ("repr", "init", "match_args")),
        *({name: True} for name in ("order", "unsafe_hash", "kw_only", "weakref_slot")),
    ],
    ids=str,
)
def test_each_option_does_what_it_does_in_the_standard_library(
    option: dict[str, bool], base: dict[str, bool], *, eq: bool
) -> None:
    def outcome(action: Callable[[], object]) -> object:
        try:
            return action()
        except (TypeError, ValueError, AttributeError) as error:
            return type(error)

    def shown(decorate: Callable[..., Any]) -> list[object]:
        class Some:
            """What has options."""

            x: int = 1
            note: str = field(default="", compare=False)

        cls: Any = outcome(lambda: decorate(**base, eq=eq, **option)(Some))
        one, other = outcome(cls), outcome(cls)
        actions = (
            lambda: repr(one).partition(" at ")[0],
            lambda: one == other,
            lambda: hash(one) == hash(other),
            lambda: one < other,  # type: ignore[operator]  # some have an order
            lambda: weakref.ref(one)() is one,
            lambda: cls.__match_args__,
            lambda: cls(2).x,
            lambda: cls(x=2).x,
        )
        return [type(cls), *map(outcome, actions)]

    assert shown(dataclasses.dataclass) == shown(values.dataclass)


def test_what_belongs_to_the_class_is_no_argument() -> None:
    @values.dataclass(frozen=True, slots=True)
    class Some:
        limit: ClassVar[int] = 3
        x: int

    assert [(3, 1)] * 12 == [(one.limit, one.x) for one in (Some(1) for _ in range(12))]


def test_what_is_not_given_comes_from_the_class_at_each_time() -> None:
    @values.dataclass
    class Record:
        named: int
        cls: int = 2
        made: list[int] = field(default_factory=list, init=False)
        fixed: int = field(default=3, init=False)
        later: int = field(init=False)

        def __post_init__(self) -> None:
            self.later = self.cls + self.fixed

    for _ in range(12):
        one = Record(named=1)
        assert (1, 2, [], 3, 5) == dataclasses.astuple(one)
        one.made.append(1)


def test_a_value_has_its_methods_in_classes_made_from_its_class() -> None:
    class Inner(Checked):
        pass

    assert Inner(2).doubled == Inner(2).doubled == Checked(2).doubled == 4


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
class Checked:
    x: int
    doubled: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "doubled", 2 * self.x)


@values.dataclass(frozen=True, slots=True)
class Named:
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.name.casefold() == self.name.casefold()

    def __hash__(self) -> int:
        return hash(self.name.casefold())


def test_the_methods_that_a_class_defines_stay_also_in_a_file() -> None:
    assert Named("a") == Named("A") == pickle.loads(pickle.dumps(Named("a")))
    assert {Named("a")} == {Named("A")}
    assert "Named(name='a')" == repr(Named("a"))
    assert {Empty()} == {Empty()}


def test_a_class_without_slots_that_is_frozen_is_one_of_the_standard_library() -> None:
    @values.dataclass(frozen=True, eq=False)
    class Identity:
        x: int

    assert Identity(1) != Identity(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Identity(1).x = 2  # type: ignore[misc]  # that is the point


@pytest.mark.parametrize("options", [{}, {"slots": True}, {"eq": False}])
@pytest.mark.parametrize("decorate", [values.dataclass, dataclasses.dataclass])
def test_a_class_that_changes_has_the_methods_of_the_standard_library(
    decorate: Callable[..., Any], options: dict[str, bool]
) -> None:
    class Mutable:
        """What changes."""

        x: int
        fixed: int = field(init=False, default=7)
        seen: list[int] = field(init=False, default_factory=list)
        later: str = field(init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            self.later = f"after {self.fixed} and {self.seen}"

    made = decorate(**options)(Mutable)
    changed = made(1)
    changed.x = 2
    changed.seen.append(3)
    other = made(2)
    other.seen.append(3)

    has_eq = options.get("eq", True)
    assert has_eq is (other == changed)
    assert has_eq is (made.__hash__ is None)
    assert "Mutable(x=2, fixed=7, seen=[3])" == repr(changed).rpartition(".")[2]
    assert "after 7 and []" == changed.later
    assert ["x"] == [*inspect.signature(made).parameters]
    assert [] == made(1).seen


def test_a_pattern_finds_what_a_compiled_one_finds() -> None:
    later, now = (make(r"(?P<word>[a-z]+)-(\d)", re.IGNORECASE) for make in (pattern, re.compile))

    for text in ("", "A-1", "a-1 b-2", "x A-1"):
        for method in ("match", "fullmatch", "search", "findall", "split"):
            ours, theirs = (getattr(one, method)(text) for one in (later, now))
            is_match = isinstance(theirs, re.Match)
            assert (theirs.groupdict() if is_match else theirs) == (
                ours.groupdict() if is_match else ours
            )
        assert now.sub("", text) == later.sub("", text)
    assert (now.pattern, now.flags) == (later.pattern, later.flags)


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    wrong = pattern("(")

    with pytest.raises(re.error):
        wrong.search("")
