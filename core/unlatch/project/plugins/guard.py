"""The plugin of a third party, whose calls cannot harm the work on other trackers.

An error in its code, a result of another type than the interface declares, or one for another item
is reported as the plugin's mistake. pydantic compares results with the annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from inspect import isfunction
from typing import Any, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError

from unlatch.project.plugins.errors import blaming, broken_plugin
from unlatch.spi import Capability, ItemRef, Manifest, Outcome, Settings, Snapshot, SyncPlugin

# Each part of a result is checked, also that of a value that was made without a check.
_CHECKED = ConfigDict(strict=True, revalidate_instances="always", arbitrary_types_allowed=True)
_END = object()
# Whether the result for many items has one for each.
_IS_WHOLE: Mapping[str, Callable[[Any, Any], bool]] = {
    **dict.fromkeys(
        ("read_many", "read_background"),
        lambda wanted, result: all(asked in result for asked in wanted),
    ),
    "write_many": lambda wanted, result: len(wanted) == len(result),
}
# The items that a call is about, each with its result; errors are among them.
_RESULTS: Mapping[str, Callable[[Any, Any], Iterable[tuple[ItemRef, object]]]] = {
    "read": lambda ref, result: [(ref, result)],
    "write": lambda snapshot, result: [(snapshot.item.ref, result)],
    "read_many": lambda refs, result: [(ref, result[ref]) for ref in refs],
    "write_many": lambda wanted, result: zip(
        (snapshot.item.ref for snapshot, _ in wanted), result, strict=True
    ),
}


def guard_plugin(manifest: Manifest, plugin: SyncPlugin) -> SyncPlugin:
    """A plugin whose calls raise UnlatchError alone; PluginBroken: the plugin is at fault."""
    guarded: Any = _GuardedPlugin(plugin, SyncPlugin, manifest.name)
    guarded.has_renames = Capability.RENAMES in manifest.capabilities
    return guarded  # type: ignore[no-any-return]  # it has the methods of the interface


def guard_settings(name: str, settings: Settings) -> Settings:
    """Settings whose methods raise UnlatchError alone; PluginBroken: the plugin is at fault."""
    guarded: Any = _Guard(settings, Settings, name)
    return guarded  # type: ignore[no-any-return]  # it has the methods of the interface


def check_results(name: str, inner: Any, interface: type) -> Any:
    """A plugin or settings whose results are checked; errors in their code stay as they are."""
    return _Checked(inner, interface, name)


class _Checked:
    """Passes calls of an interface on, and checks their results."""

    def __init__(self, inner: object, interface: type, name: str) -> None:
        self._inner, self._interface, self._name = inner, interface, name

    def __getattr__(self, attribute: str) -> Any:
        if attribute not in vars(self._interface):
            return getattr(self._inner, attribute)
        if isfunction(vars(self._interface)[attribute]):
            return partial(self._call, attribute)
        with self._running(attribute):
            value = getattr(self._inner, attribute)
        return self._checked(attribute, value)

    def _call(self, attribute: str, /, *args: Any, **named: Any) -> Any:
        with self._running(attribute):
            result = getattr(self._inner, attribute)(*args, **named)
        if _is_iterator(self._interface, attribute):
            return self._each(attribute, result)
        return self._checked(attribute, result)

    def _each(self, attribute: str, result: Any) -> Iterator[Any]:
        with self._running(attribute):
            results = iter(result)
        while True:
            with self._running(attribute):
                part = next(results, _END)
            if part is _END:
                return
            yield self._checked(attribute, part)

    def _running(self, _attribute: str) -> AbstractContextManager[None]:
        """The context of each piece of the plugin's code."""
        return nullcontext()

    def _checked(self, attribute: str, value: Any) -> Any:
        if (adapter := _adapter(self._interface, attribute)) is None:
            return value
        try:
            adapter.validate_python((value,))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            part = ".".join(map(str, first["loc"][1:]))
            wrong = f"{part}: {first['msg']}" if part else f"{first['msg']}"
            problem = f"{self._title(attribute)} returned another type: {wrong}"
            raise broken_plugin(self._name, problem) from error
        return value

    def _title(self, attribute: str) -> str:
        return f"{type(self._inner).__name__}.{attribute}"


class _Guard(_Checked):
    """The same, and reports errors in the code as the plugin's."""

    def _running(self, attribute: str) -> AbstractContextManager[None]:
        return blaming(self._name, self._title(attribute), of=type(self._inner))


class _GuardedPlugin(_Guard):
    """The same, and refuses a result for another item than the call was about."""

    has_renames: bool

    def _call(self, attribute: str, /, *args: Any, **named: Any) -> Any:
        answer = super()._call(attribute, *args, **named)
        if attribute in _IS_WHOLE and not _IS_WHOLE[attribute](args[0], answer):
            raise broken_plugin(self._name, f"{self._title(attribute)} left items out")
        for asked, result in _RESULTS[attribute](args[0], answer) if attribute in _RESULTS else ():
            self._check_item(attribute, asked, result)
        return answer

    def _check_item(self, attribute: str, asked: ItemRef, result: object) -> None:
        match result:
            case Snapshot(item=item) | Outcome(after=item):
                if not _is_same(asked, item.ref, has_renames=self.has_renames):
                    names = f"{asked.target} {asked.id}: {item.ref.target} {item.ref.id}"
                    problem = f"{self._title(attribute)} returned another item than {names}"
                    raise broken_plugin(self._name, problem)


def _is_same(asked: ItemRef, answered: ItemRef, *, has_renames: bool) -> bool:
    """Whether a result is for the item of the call.

    An item that was moved, or whose place was renamed, has another target and keeps its number.
    Where former names of items stay valid, it may have another number, too.
    """
    if answered.tracker != asked.tracker:
        return False
    numbers = {ref.id.removeprefix(ref.target).casefold() for ref in (asked, answered)}
    return len(numbers) == 1 or (has_renames and answered.target != asked.target)


@cache
def _adapter(interface: type, attribute: str) -> TypeAdapter[Any] | None:
    """The check of a result, in a tuple: pydantic takes no options for a class alone."""
    declared = _declared(interface, attribute)
    if get_origin(declared) is Iterator:
        (declared,) = declared.__args__
    return None if declared is None else TypeAdapter(tuple[declared], config=_CHECKED)  # type: ignore[valid-type]  # a value


def _is_iterator(interface: type, attribute: str) -> bool:
    return get_origin(_declared(interface, attribute)) is Iterator


def _declared(interface: type, attribute: str) -> Any:
    member = vars(interface)[attribute]
    annotations: Mapping[str, Any] = getattr(member, "fget", member).__annotations__
    return annotations["return"]
