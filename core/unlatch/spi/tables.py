"""Tables of settings: pydantic decides about them, but is loaded only where that takes thought.

Loading pydantic and building its models takes a quarter of the CPU time of a resume, and most
configurations have no mistake: docs/adr/0025. So a `Table` accepts what is plainly right by itself,
and leaves everything else to the pydantic model that `unlatch.spi.table_models` makes of it: what
pydantic converts, and each mistake with its message.

    class Labels(Table):
        reopened: Annotated[str, Constraint(min_length=1)] = setting(
            default="reopened", description="Added by a reopen"
        )

The annotations are read at run time, as by pydantic.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

_REQUIRED: Any = object()
_EXACT = 2**53  # from here on a float does not hold every whole number


class Setting(NamedTuple):
    default: Any  # a value that cannot be changed, or `_REQUIRED`
    description: str

    @property
    def is_required(self) -> bool:
        return self.default is _REQUIRED


def setting(*, default: Any = _REQUIRED, description: str = "") -> Any:
    """Declare one setting of a table; without a default it is required."""
    return Setting(default, description)


class Constraint(NamedTuple):
    """The limits of a value in `Annotated[...]`, by pydantic's names."""

    strict: bool = False
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None

    def accept(self, value: Any) -> Any:
        if self.pattern is not None and not _matches(self.pattern, value):
            raise _NotPlain
        length = len(value) if self.min_length or self.max_length is not None else 0
        if (
            (self.ge is None or value >= self.ge)
            and (self.gt is None or value > self.gt)
            and (self.le is None or value <= self.le)
            and length >= (self.min_length or 0)
            and (self.max_length is None or length <= self.max_length)
        ):
            return value
        raise _NotPlain

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        unset = self._field_defaults
        given = {name: value for name, value in self._asdict().items() if value is not unset[name]}
        return {**handler(source), **given}


class Check(NamedTuple):
    """A function in `Annotated[...]` that returns the value, or one in place of it."""

    function: Callable[[Any], Any]  # raises ValueError with what is wrong
    pattern: str | None = None  # for JSON Schema alone: an expression that says the same

    def accept(self, value: Any) -> Any:
        return self.function(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core.core_schema import (  # noqa: PLC0415  (slow to load)
            no_info_after_validator_function,
        )

        metadata = {"pydantic_js_extra": {"pattern": self.pattern}} if self.pattern else None
        return no_info_after_validator_function(self.function, handler(source), metadata=metadata)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(setting,))
class Table:
    """A table of settings; its subclasses declare them.

    It is made from values as a TOML file has them, or from values of the declared types. The
    `__post_init__` of a subclass checks the whole table, and raises ValueError.

    Raises:
        pydantic.ValidationError: there are mistakes; it lists all of them.
    """

    SETTINGS: ClassVar[Mapping[str, Setting]] = {}
    model_fields_set: frozenset[str]  # the names of the settings with a given value

    def __init__(self, /, **values: Any) -> None:
        vars(self).update(vars(self.model_validate(values)))

    def __init_subclass__(cls) -> None:
        own = {name: setting for name, setting in vars(cls).items() if isinstance(setting, Setting)}
        cls.SETTINGS = {**cls.SETTINGS, **own}
        for name in own:
            delattr(cls, name)

    @classmethod
    @cache
    def hints(cls) -> Mapping[str, Any]:
        """The types of the settings, by their names."""
        return get_type_hints(cls, include_extras=True)

    @classmethod
    def model_validate(cls, values: Mapping[str, Any]) -> Self:
        """The table of these values, as pydantic's method of this name."""
        try:
            table: Self = _plain_table(cls, values)
        except ValueError:
            from unlatch.spi.table_models import checked  # noqa: PLC0415  (loads pydantic)

            table = checked(cls, values)
        return table

    @classmethod
    def unchecked(cls, values: Mapping[str, Any]) -> Self:
        """The table of values of the declared types; ValueError comes from `__post_init__`."""
        table = cls.__new__(cls)
        defaults = ((name, setting.default) for name, setting in cls.SETTINGS.items())
        vars(table).update({**dict(defaults), **values}, model_fields_set=frozenset(values))
        table.__post_init__()
        return table

    def __post_init__(self) -> None:
        """Check the whole table."""

    def replaced(self, **values: Any) -> Self:
        """The same with other values of the declared types."""
        given = {name: value for name, value in self if name in self.model_fields_set}
        return self.unchecked({**given, **values})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from unlatch.spi.table_models import core_schema_of  # noqa: PLC0415  (loads pydantic)

        return core_schema_of(cls, handler)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return ((name, getattr(self, name)) for name in self.SETTINGS)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name}")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return [*self] == [*other]

    def __hash__(self) -> int:
        return hash(type(self))  # some values are dictionaries

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self)})"


class _NotPlain(ValueError):
    """pydantic has to decide."""


def _plain_table(table: Any, values: Mapping[str, Any]) -> Any:
    hints = table.hints()
    if not values.keys() <= table.SETTINGS.keys():
        raise _NotPlain
    if any(setting.is_required and name not in values for name, setting in table.SETTINGS.items()):
        raise _NotPlain
    return table.unchecked({name: _plain(hints[name], value) for name, value in values.items()})


def _plain(kind: Any, value: Any) -> Any:
    """The value, if it is plainly one of this type; ValueError where pydantic has to decide."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any or (origin is Literal and _is_one_of(parts, value)):
        return value
    if origin is None:
        return _plain_value(kind, value)
    if origin is Annotated:
        plain = _plain(parts[0], value)
        for rule in parts[1:]:
            plain = rule.accept(plain)
        return plain
    if origin in (Union, UnionType):
        return _first_plain(sorted(parts, key=lambda part: part is not type(value)), value)
    if origin is type(value) or (origin is tuple and type(value) is list):
        return _plain_parts(origin, parts, value)
    raise _NotPlain


def _plain_parts(origin: Any, parts: tuple[Any, ...], value: Any) -> Any:
    if origin is dict:
        return {_plain(parts[0], key): _plain(parts[1], entry) for key, entry in value.items()}
    return origin(_plain(parts[0], entry) for entry in value)


def _is_one_of(words: tuple[Any, ...], value: Any) -> bool:
    return any(word == value and type(word) is type(value) for word in words)


def _plain_value(kind: type, value: Any) -> Any:
    if type(value) is kind:
        return value
    if issubclass(kind, Table) and type(value) is dict:
        return _plain_table(kind, value)
    if issubclass(kind, Enum):
        return kind(value)
    if kind is float and type(value) is int and abs(value) < _EXACT:
        return float(value)
    raise _NotPlain


def _first_plain(kinds: Iterable[Any], value: Any) -> Any:
    for kind in kinds:
        with suppress(ValueError):
            return _plain(kind, value)
    raise _NotPlain


def _matches(wanted: str, value: str) -> bool:
    # pydantic's own expressions differ in other letters, and in what `$` matches before a newline.
    return value.isascii() and value.isprintable() and re.search(wanted, value) is not None
