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
    from collections.abc import Callable

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
    dataclass_: Any = dataclasses.dataclass(cls, eq=False, repr=False, init=False, **options)
    if "__init__" not in vars(cls):
        dataclass_.__init__ = _Init(dataclass_)
    for name, method in shared.items():
        setattr(dataclass_, name, method)
    return dataclass_


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
    fields = dataclasses.fields(cls)
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
    fields = sorted(dataclasses.fields(cls), key=attrgetter("kw_only"))
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
    names = (field.name for field in dataclasses.fields(self) if field.repr)
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
    return f"{self.__class__.__qualname__}({values})"


@cache
def _compared(cls: Any) -> Callable[[Any], Any]:
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    return attrgetter(*names) if names else lambda _: ()


_COMPARED: dict[str, Any] = {"__eq__": _eq, "__hash__": _hash}
