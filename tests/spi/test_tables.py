"""Tables of settings are what pydantic makes of them, and load it only where that takes thought."""

import math
import sys
from datetime import date
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from unlatch.config.config import CoreConfig, UserConfig
from unlatch.spi.table_models import checked
from unlatch.spi.tables import Check, Constraint, Table, setting
from unlatch_ado.settings import AdoSettings
from unlatch_github.settings import GithubSettings
from unlatch_jira.settings import JiraSettings

OURS = (CoreConfig, UserConfig, GithubSettings, AdoSettings, JiraSettings)


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("expected an even number")
    return value


class Inner(Table):
    word: Annotated[str, Constraint(min_length=1)] = setting(default="a")


class Outer(Table):
    """One setting of each kind."""

    name: str = setting(description="Its name")
    count: Annotated[int, Constraint(strict=True, ge=1, le=9)] = setting(default=3)
    ratio: Annotated[float, Constraint(strict=True, gt=0)] = setting(default=0.5)
    lax: bool = setting(default=False)
    even: Annotated[int, Check(_even)] | None = setting(default=None)
    mode: Literal["a", "b"] = setting(default="a")
    names: tuple[str, ...] = setting(default=())
    inner: Inner = setting(default=Inner())
    by_name: dict[str, Inner] = setting(default={})
    any_of: bool | int | list[Any] | dict[str, Any] | str = setting(default=0)
    slug: Annotated[str, Constraint(pattern=r"^[^\W_][\w-]*$")] = setting(default="a")
    few: Annotated[tuple[str, ...], Constraint(min_length=1, max_length=2)] = setting(
        default=("a",)
    )
    version: Literal[1, 2] = setting(default=1)
    whole: int = setting(default=0)
    either: float | int = setting(default=0)

    def __post_init__(self) -> None:
        if self.name == "nobody" and "count" not in self.model_fields_set:
            raise ValueError("nobody needs a count")


_ODD: tuple[Any, ...] = (
    *(True, False, 0, 1, 2, 9, 10, -1, 2**53, 10**400, 0.0, 0.5, 1.0, math.inf, math.nan),
    *("", "a", "b", "yes", "1", "é", "²", "a\n", "warn", "A/b", "https://x.example/a", "SCRUM"),
    *(date(2026, 1, 2), None),
)
odd = st.recursive(
    st.sampled_from(_ODD),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=4,
)
# Each setting of ours takes one of these.
_WORDS = st.sampled_from(
    (
        *("a", "warn", "octo/widgets", "https://x.example/a", "SCRUM", "OPS/Bug", "Custom.A"),
        *("7.1", "12345678", "A_TOKEN", "list --all", "{reason}", "kiro", "System.Title", "/abs"),
    )
)
_REQUIRED = {
    Outer: {"name": "n"},
    AdoSettings: {"organization_url": "https://dev.azure.com/fabrikam"},
    JiraSettings: {"site": "https://acme.atlassian.net"},
}


def plausible(kind: Any) -> st.SearchStrategy[Any]:
    """Values as a TOML file may have them for a setting of this type, most of them right."""
    origin, parts = get_origin(kind), get_args(kind)
    if isinstance(kind, type):
        return plausible_value(kind)
    found = odd
    if origin is Annotated:
        found = plausible(parts[0])
    elif origin in (Union, UnionType):
        found = st.one_of([plausible(one) for one in parts])
    elif origin is Literal:
        found = st.sampled_from(parts)
    elif origin in (tuple, list):
        found = st.lists(plausible(parts[0]), max_size=2)
    elif origin is dict:
        found = st.dictionaries(_WORDS, plausible(parts[1]), max_size=2)
    return found


def plausible_value(kind: type) -> st.SearchStrategy[Any]:
    found: st.SearchStrategy[Any] = odd
    if kind is str:
        found = _WORDS
    elif kind is int:
        found = st.integers(-1, 12)
    elif kind in (bool, float):
        found = st.from_type(kind)
    elif issubclass(kind, Table):
        found = values_for(kind)
    elif issubclass(kind, Enum):
        found = st.sampled_from([one.value for one in kind])
    return found


def values_for(table: Any) -> st.SearchStrategy[dict[str, Any]]:
    """The required settings and a few others, each of which may be odd."""
    hints = table.hints()
    one = st.sampled_from([*table.SETTINGS]).flatmap(
        lambda name: st.tuples(st.just(name), plausible(hints[name]))
    )
    strange = st.tuples(st.sampled_from([*table.SETTINGS, "unknown", "self"]), odd)
    several = st.lists(one, max_size=2) | st.lists(one | strange, max_size=3)
    return several.map(lambda pairs: {**_REQUIRED.get(table, {}), **dict(pairs)})


def outcome(table: Any, values: dict[str, Any], *, by_pydantic: bool) -> Any:
    """The values with their types, or the mistakes."""
    try:
        found = checked(table, values) if by_pydantic else table.model_validate(values)
    except ValidationError as error:
        return [(one["loc"], one["type"], one["msg"]) for one in error.errors()]
    return repr(found), found.model_fields_set


@pytest.mark.sample(2)
@pytest.mark.parametrize("table", [Outer, *OURS], ids=lambda table: table.__name__)
@given(data=st.data())
def test_a_table_is_what_pydantic_makes_of_the_values(table: type[Table], data: Any) -> None:
    values = data.draw(values_for(table) | st.dictionaries(st.text("ab"), odd, max_size=1))
    # A list is the form of earlier versions, which only the table reads.
    assume(table is not UserConfig or not isinstance(values.get("trusted_hosts"), list))

    assert outcome(table, values, by_pydantic=True) == outcome(table, values, by_pydantic=False)


LIMITS: dict[str, tuple[Any, ...]] = {
    "slug": ("a", "é", "²", "a\n", "a b", "_", "a-1", 3),
    "ratio": (0, 0.0, 1, 2**53 + 1, 10**400, math.inf, math.nan, True),
    "few": ([], ["a"], ["a", "b"], ["a", "b", "c"], ("a",), "a", [1]),
    "version": (1, 2, 3, True, 1.0, "1"),
    "whole": (1, True, 1.0, 1.5, "1", 2**70),
    "either": (3, 3.0, True, "3"),
    "count": (0, 1, 9, 10, True, 1.0),
    "inner": ({}, {"word": ""}, {"word": "b"}, Inner(word="b"), [], "a"),
    "by_name": ({"z": {"word": "b"}, "y": {}}, {1: {}}, []),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_value_at_a_limit_is_what_pydantic_makes_of_it(name: str) -> None:
    for value in LIMITS[name]:
        values = {"name": "n", name: value}
        by_pydantic = outcome(Outer, values, by_pydantic=True)
        assert by_pydantic == outcome(Outer, values, by_pydantic=False), repr(value)


def test_plain_values_are_accepted_without_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "unlatch.spi.table_models", None)
    inner = {"word": "b"}
    given = {"name": "n", "count": 9, "ratio": 2, "lax": True, "even": 4, "mode": "b"}
    given |= {"names": ["x", "y"], "inner": inner, "by_name": {"z": inner}}
    given |= {"any_of": [1, {"a": 2}], "slug": "abc", "few": ["a", "b"]}
    given |= {"version": 2, "whole": 5, "either": 0.5}

    found = Outer.model_validate(given)

    assert {**dict(found), "inner": inner, "by_name": {"z": inner}} == given | {
        "names": ("x", "y"),
        "few": ("a", "b"),
    }
    assert float is type(found.ratio)
    assert Inner(word="b") == found.inner == found.by_name["z"]


def test_all_mistakes_are_listed_with_their_places() -> None:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(
            {
                "name": 3,
                "count": 10,
                "inner": {"word": ""},
                "by_name": {"z": {"wrong": 1}},
                "even": 3,
            }
        )

    found = {(one["loc"], one["msg"]) for one in caught.value.errors()}
    assert {
        (("name",), "Input should be a valid string"),
        (("count",), "Input should be less than or equal to 9"),
        (("inner", "word"), "String should have at least 1 character"),
        (("by_name", "z", "wrong"), "Extra inputs are not permitted"),
        (("even",), "Value error, expected an even number"),
    } == found


def test_a_required_setting_that_is_missing_is_named() -> None:
    with pytest.raises(ValidationError, match="name\n  Field required"):
        Outer()  # type: ignore[call-arg]


def test_a_secret_in_a_wrong_value_is_not_in_the_message() -> None:
    with pytest.raises(ValidationError) as caught:
        Outer(name="n", slug="s3cr3t TOKEN")

    assert "s3cr3t" not in str(caught.value)


def test_a_table_cannot_be_changed_and_a_copy_can_differ() -> None:
    table = Outer(name="n", count=4)

    with pytest.raises(AttributeError, match="Outer cannot be changed: name"):
        table.name = "m"  # type: ignore[misc]

    other = table.replaced(name="m")
    assert ("n", "m", 4) == (table.name, other.name, other.count)
    assert table != other == Outer(name="m", count=4)
    assert hash(other) == hash(Outer(name="m", count=4))
    assert {"name", "count"} == other.model_fields_set
    assert table != Inner()


def test_an_inherited_setting_comes_first() -> None:
    class More(Inner):
        size: int = setting(default=1)

    assert ["word", "size"] == [*More.SETTINGS]
    assert ["word"] == [*Inner.SETTINGS]
