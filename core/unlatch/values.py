"""Dataclasses that Python makes in a tenth of the time: docs/adr/0022.

`dataclasses` compiles six methods of each class, half a millisecond in all, and a resume loads 200
of them. Here all classes share these methods except `__init__`, which is compiled for the tenth
value, and fields are found for the first: most classes have none in a run, or few.
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
    **options: Any,
) -> Any:
    """As `dataclasses.dataclass`; mypy alone proves that a class with slots stays frozen."""
    if cls is None:
        return partial(_dataclass, frozen=frozen, slots=slots, eq=eq, **options)
    if frozen and not (slots and eq):
        return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **options)
    shared = {**(_COMPARED if eq else {}), "__repr__": _repr}
    if not frozen and eq:
        shared["__hash__"] = None
    shared = {name: method for name, method in shared.items() if name not in vars(cls)}
    # Without a docstring, `dataclasses` derives one from the signature, in 0.4 ms.
    cls.__doc__ = cls.__doc__ or cls.__name__
    if slots and _has_fields_only(cls, options):
        made = _with_slots(cls, **options)
    else:
        made = dataclasses.dataclass(cls, slots=slots, eq=False, repr=False, init=False, **options)
    if "__init__" not in vars(cls):
        made.__init__ = _Init(made)
    for name, method in shared.items():
        setattr(made, name, method)
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass


# The first values of a class.
_NOT_COMPILED = 10
# Neither a ClassVar nor an InitVar.
_REGULAR: Any = vars(dataclasses)["_FIELD"]


class _Later:
    """An attribute of a class that replaces itself when it is looked up."""

    def __init__(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        self._owner, self._name, self._make = owner, name, make

    def __get__(self, instance: Any, _owner: Any = None) -> Any:
        made = self._make(self._owner)
        setattr(self._owner, self._name, made)
        return made


def _set_later(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    setattr(owner, name, _Later(owner, name, make))


def _has_fields_only(cls: Any, options: dict[str, Any]) -> bool:
    """Whether a class is as most are: other annotations and options are for `dataclasses`."""
    kinds = " ".join(map(str, cls.__annotations__.values()))
    is_plain = not any(word in kinds for word in ("ClassVar", "InitVar", "KW_ONLY"))
    return is_plain and options.keys() <= {"kw_only"} and "__slots__" not in vars(cls)


def _with_slots(cls: Any, *, kw_only: bool = False) -> Any:
    """The class again, with slots for its fields, which are found when they are first asked for.

    `dataclasses` takes three times as long, by far the most for the fields.
    """
    kinds = cls.__annotations__
    inherited = {slot for base in cls.__mro__[1:] for slot in vars(base).get("__slots__", ())}
    left_out = {*kinds, "__dict__", "__weakref__"}
    body = {name: value for name, value in vars(cls).items() if name not in left_out}
    body["__qualname__"] = cls.__qualname__
    body["__slots__"] = tuple(name for name in kinds if name not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    defaults = {name: value for name, value in vars(cls).items() if name in kinds}
    _set_later(made, "__dataclass_fields__", partial(_fields, defaults=defaults, kw_only=kw_only))
    _set_later(made, "__dataclass_params__", lambda _: _params())
    _set_later(made, "__match_args__", _match_args)
    return made


def _fields(cls: Any, *, defaults: dict[str, Any], kw_only: bool) -> dict[str, Any]:
    """The fields as `dataclasses` finds them: inherited ones first, each with its last default."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        found |= getattr(base, "__dataclass_fields__", {})
    for name, kind in cls.__annotations__.items():
        one = defaults.get(name, MISSING)
        if not isinstance(one, dataclasses.Field):
            one = dataclasses.field(default=one)
        one.name, one.type = name, kind
        one._field_type = _REGULAR  # noqa: SLF001  # the same in Python 3.11 to 3.14
        if one.kw_only is MISSING:
            one.kw_only = kw_only
        found[name] = one
    return found


@cache
def _params() -> Any:
    """The parameters of all classes, as far as `dataclasses` knows them."""
    some = dataclasses.make_dataclass("_", (), init=False, repr=False, eq=False)
    return vars(some)["__dataclass_params__"]


def _match_args(cls: Any) -> tuple[str, ...]:
    return tuple(it.name for it in dataclasses.fields(cls) if it.init and not it.kw_only)


class _Init:
    """An `__init__` that compiles itself in time; that takes as long as fifty calls of `_fill`."""

    def __init__(self, owner: Any) -> None:
        self._owner, self._left = owner, _NOT_COMPILED

    def __get__(self, instance: Any, _owner: Any = None) -> Any:
        self._left -= 1
        # `inspect` of Python 3.13 asks with the class in place of a value.
        if isinstance(instance, self._owner) and self._left >= 0:
            return partial(_fill, self._owner, instance)
        made = self._owner.__init__ = _compiled_init(self._owner)
        return made if instance is None else made.__get__(instance)


def _fill(cls: Any, value: Any, /, *args: Any, **given: Any) -> None:
    """Do what the compiled `__init__` of a class does; that one raises the errors, too."""
    values = dict(zip(cls.__match_args__, args, strict=False)) | given
    is_wrong = len(values) < len(args) + len(given)
    for one in dataclasses.fields(cls):
        if one.init and one.name in values:
            setattr(value, one.name, values.pop(one.name))
        elif one.default is not MISSING:
            setattr(value, one.name, one.default)
        elif one.default_factory is not MISSING:
            setattr(value, one.name, one.default_factory())
        else:
            is_wrong = is_wrong or one.init
    if values or is_wrong:
        _compiled_init(cls)(value, *args, **given)
    elif hasattr(cls, "__post_init__"):
        value.__post_init__()


def _compiled_init(cls: Any) -> Any:
    """The `__init__` that `dataclasses` would make."""
    scope: dict[str, Any] = {"_missing": MISSING}
    takes, does = ["self"], []
    for one in sorted(dataclasses.fields(cls), key=attrgetter("kw_only")):
        name, value, default = one.name, one.name, ""
        if one.default is not MISSING:
            scope[f"_{name}"], default = one.default, f"=_{name}"
            value = name if one.init else f"_{name}"
        elif one.default_factory is not MISSING:
            scope[f"_{name}"], default = one.default_factory, "=_missing"
            value = f"_{name}() if {name} is _missing else {name}" if one.init else f"_{name}()"
        elif not one.init:
            continue
        if one.init:
            if one.kw_only and "*" not in takes:
                takes.append("*")
            takes.append(f"{name}{default}")
        does.append(f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        does.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(takes)}):\n" + "\n".join(does or [" pass"]), scope)  # noqa: S102
    made = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


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


_COMPARED: dict[str, Any] = {"__eq__": _eq, "__hash__": _hash}
