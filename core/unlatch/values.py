"""Dataclasses that Python makes in a tenth of the time: docs/adr/0022.

`dataclasses` compiles six methods of each class, half a millisecond in all, and a resume loads 200
of them. Here all classes share these methods except `__init__`, which is compiled for the ninth
value: most classes have fewer in a run.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["dataclass"]


def _dataclass(
    cls: Any = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    kw_only: bool = False,
    **others: Any,
) -> Any:
    """As `dataclasses.dataclass`; mypy alone proves that a class with slots stays frozen."""
    options = {"slots": slots, "kw_only": kw_only}
    if cls is None:
        return partial(_dataclass, frozen=frozen, eq=eq, **options, **others)
    if others or (frozen and not (slots and eq)):
        return dataclasses.dataclass(cls, frozen=frozen, eq=eq, **options, **others)
    shared = {**(_COMPARED if eq else {}), "__repr__": _repr}
    if not frozen and eq:
        shared["__hash__"] = None
    shared = {name: method for name, method in shared.items() if name not in vars(cls)}
    # Without a docstring, `dataclasses` derives one from the signature, in 0.4 ms.
    cls.__doc__ = cls.__doc__ or cls.__name__
    make = _with_slots if slots and _has_fields_alone(cls) else _usual
    dataclass_ = make(cls, **options)
    if "__init__" not in vars(cls):
        dataclass_.__init__ = _Init(dataclass_)
    for name, method in shared.items():
        setattr(dataclass_, name, method)
    return dataclass_


_usual: Any = partial(dataclasses.dataclass, eq=False, repr=False, init=False)


def _has_fields_alone(cls: Any) -> bool:
    """Whether the annotations of a class are all of its fields."""
    kinds = " ".join(map(str, cls.__annotations__.values()))
    return not any(word in kinds for word in ("ClassVar", "InitVar", "KW_ONLY"))


def _with_slots(cls: Any, *, kw_only: bool, **_: bool) -> Any:
    """The class with slots; its fields are worked out when something asks for them."""
    kinds: dict[str, Any] = cls.__annotations__
    values: dict[str, Any] = {}
    inherited = {name for base in cls.__mro__[1:] for name in vars(base).get("__slots__", ())}
    slots = [name for name in kinds if name not in inherited]
    content = {"__qualname__": cls.__qualname__, "__slots__": slots}
    for name, value in vars(cls).items():
        if name not in ("__dict__", "__weakref__"):
            (values if name in kinds else content)[name] = value
    content |= {name: _Later(name, values, kw_only=kw_only) for name in _FACTS}
    return type(cls)(cls.__name__, cls.__bases__, content)


_FACTS = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


class _Later:
    """An attribute that `dataclasses` sets, and this when it is looked up: few classes need it.

    Args:
        values: the defaults of the class, and what `field` made.
    """

    def __init__(self, name: str, values: dict[str, Any], *, kw_only: bool) -> None:
        self._name, self._values, self._kw_only = name, values, kw_only

    def __set_name__(self, owner: Any, _: str) -> None:
        self._owner = owner

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        fields = {field.name: field for field in _fields(self._owner)}
        kinds = {name: field.type for name, field in fields.items()}
        content = {"__doc__": self._owner.__doc__, "__annotations__": kinds, **fields}
        plain = _usual(type(self._owner.__name__, (), content))
        for name in _FACTS:
            setattr(self._owner, name, getattr(plain, name))
        return getattr(plain, self._name)

    def fields(self) -> Sequence[dataclasses.Field[Any]]:
        bases = [base for base in self._owner.__mro__[:0:-1] if _FACTS[0] in vars(base)]
        fields = {field.name: field for base in bases for field in _fields(base)}
        for name, kind in self._owner.__annotations__.items():
            value = self._values.get(name, MISSING)
            field = value if isinstance(value, dataclasses.Field) else dataclasses.field()
            if field is not value:
                field.default = value
            field.name, field.type = name, kind
            if field.kw_only is MISSING:
                field.kw_only = self._kw_only
            fields[name] = field
        return [*fields.values()]


@cache
def _fields(cls: Any) -> Sequence[dataclasses.Field[Any]]:
    """As `dataclasses.fields`, which takes as long as a dozen new values to find them."""
    later = vars(cls).get(_FACTS[0])
    return later.fields() if isinstance(later, _Later) else dataclasses.fields(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass


class _Init:
    """An `__init__` that replaces itself when it is looked up, which a call does.

    Compiling it takes as long as a dozen calls of `_fill`, and most classes have fewer values.
    """

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        self._left = 8

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        # `inspect.signature` binds it to the class, under Python 3.13.
        if instance is not None and self._left and not isinstance(instance, type):
            self._left -= 1
            return partial(_fill, self._owner, instance)
        init = _compiled_init(self._owner)
        self._owner.__init__ = init
        return init if instance is None else init.__get__(instance)


class _Factory:
    """The default of a field whose value is made anew each time, as `dataclasses` shows it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _fill(cls: Any, self: Any, /, *given: Any, **named: Any) -> None:
    """Do what the compiled `__init__` does."""
    fields = _fields(cls)
    placed = (field.name for field in fields if field.init and not field.kw_only)
    values = dict(zip(placed, given, strict=False), **named)
    is_wrong = len(values) < len(given) + len(named)
    for field in fields:
        if field.init and field.name in values:
            value = values.pop(field.name)
        elif field.default_factory is not MISSING:
            value = field.default_factory()
        else:
            value = field.default
        if value is not MISSING:
            setattr(self, field.name, value)
        elif field.init:
            is_wrong = True
    if is_wrong or values:
        _compiled_init(cls)(self, *given, **named)  # names what is wrong
    if hasattr(cls, "__post_init__"):
        self.__post_init__()


def _compiled_init(cls: Any) -> Any:
    """The `__init__` that `dataclasses` would make."""
    fields = sorted(_fields(cls), key=attrgetter("kw_only"))
    names = [field.name for field in fields]
    # Longer than the name of any field, so no field's name can begin with it.
    own = "_" * (1 + max(map(len, names), default=0))
    this, missing = own if "self" in names else "self", f"{own}missing"
    scope: dict[str, Any] = {missing: _FACTORY}
    types: dict[str, Any] = {}
    takes, does = [this], []
    for number, field in enumerate(fields):
        name, value, default, constant = field.name, field.name, "", f"{own}{number}"
        if field.default is not MISSING:
            scope[constant], default = field.default, f"={constant}"
            value = name if field.init else constant
        elif field.default_factory is not MISSING:
            scope[constant], default = field.default_factory, f"={missing}"
            value = (
                f"{constant}() if {name} is {missing} else {name}"
                if field.init
                else f"{constant}()"
            )
        elif not field.init:
            continue
        if field.init:
            if field.kw_only and "*" not in takes:
                takes.append("*")
            takes.append(f"{name}{default}")
            types[name] = field.type
        does.append(f" {this}.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        does.append(f" {this}.__post_init__()")
    exec(f"def __init__({', '.join(takes)}):\n" + "\n".join(does or [" pass"]), scope)  # noqa: S102
    init = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {**types, "return": None}  # for `help`
    return init


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    compared = _compared(self.__class__)
    return compared(self) == compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self.__class__)(self))


def _repr(self: Any) -> str:
    names = (field.name for field in _fields(self.__class__) if field.repr)
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
    return f"{self.__class__.__qualname__}({values})"


@cache
def _compared(cls: Any) -> Callable[[Any], Any]:
    names = [field.name for field in _fields(cls) if field.compare]
    return attrgetter(*names) if names else lambda _: ()


_COMPARED: dict[str, Any] = {"__eq__": _eq, "__hash__": _hash}
