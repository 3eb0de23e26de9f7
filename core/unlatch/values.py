"""Frozen dataclasses that Python makes in a quarter of the time: docs/adr/0022.

`dataclasses` compiles six methods of each class, half a millisecond in all, and a resume loads 150
of them. Here all classes share these methods except `__init__`.
"""

from __future__ import annotations

import dataclasses
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
    **options: Any,
) -> Any:
    """As `dataclasses.dataclass`; mypy alone proves that a class with slots stays frozen."""
    if cls is None:
        return partial(_dataclass, frozen=frozen, slots=slots, eq=eq, **options)
    if not (frozen and slots and eq):
        return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **options)
    shared = {name: method for name, method in _SHARED.items() if name not in vars(cls)}
    made: Any = dataclasses.dataclass(cls, slots=True, eq=False, repr=False, **options)
    for name, method in shared.items():
        setattr(made, name, method)
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    compared = _compared(self.__class__)
    return compared(self) == compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self.__class__)(self))


def _repr(self: Any) -> str:
    shown = (one.name for one in dataclasses.fields(self) if one.repr)
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{self.__class__.__qualname__}({values})"


@cache
def _compared(cls: Any) -> Callable[[Any], Any]:
    names = [one.name for one in dataclasses.fields(cls) if one.compare]
    return attrgetter(*names) if names else lambda _: ()


_SHARED = {"__eq__": _eq, "__hash__": _hash, "__repr__": _repr}
