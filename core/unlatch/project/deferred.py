"""Run modules when something in them is used, not when they are imported.

`github.Requester` is a tenth of PyGithub, but Python runs the whole of `github` before it. click
imports `inspect`, and uses it for help alone.
"""

import sys
from _thread import RLock  # as functools: `threading` takes a fiftieth of `unlatch show`
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

# Seconds that a thread waits for another one that runs a module. That one may wait for this thread
# in turn, by a lock of the import system; then this one sees the module half run, as in any cycle
# of imports.
_LONGEST_WAIT = 5.0
_locks: dict[str, RLock] = {}
_begun: set[str] = set()


class _Deferred(ModuleType):
    """A module that runs when a name is used that it does not have."""

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":  # the import system asks whether it is a package
            raise AttributeError(name)
        if hasattr(self, "__path__"):
            if find_spec(f"{self.__name__}.{name}"):
                return import_module(f"{self.__name__}.{name}")
            if name == "__version__" and find_spec(f"{self.__name__}.version"):
                return import_module(f"{self.__name__}.version").__version__
        lock = _locks[self.__name__]
        has_lock = lock.acquire(timeout=_LONGEST_WAIT)
        try:
            if self.__name__ not in _begun:
                _run(self)
        finally:
            if has_lock:
                lock.release()
        # One that is half run has no further names.
        return getattr(super() if isinstance(self, _Deferred) else self, name)


class _Running(_Deferred):
    """A module without parts that a thread runs; others wait for any name, as for an import."""

    def __getattribute__(self, name: str) -> Any:
        lock = _locks[ModuleType.__getattribute__(self, "__name__")]
        if lock.acquire(timeout=_LONGEST_WAIT):
            lock.release()
        return ModuleType.__getattribute__(self, name)


def _run(module: _Deferred) -> None:
    if not isinstance(module, _Deferred) or not (module.__spec__ and module.__spec__.loader):
        return  # another thread has run it meanwhile
    _begun.add(module.__name__)
    try:
        if not hasattr(module, "__path__"):
            module.__class__ = _Running
        module.__spec__.loader.exec_module(module)
        module.__class__ = ModuleType  # type: ignore[assignment]  # for good
    finally:
        _begun.discard(module.__name__)


def defer(names: Iterable[str], **constants: Any) -> None:
    """Run these modules only when something in them is used; those already imported stay.

    `constants` are names that can be used without running them.
    """
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None:
            module = module_from_spec(spec)
            vars(module).update(constants)
            _locks[name] = RLock()
            module.__class__ = _Deferred
            sys.modules[name] = module
            package, _, part = name.rpartition(".")
            if package:
                setattr(sys.modules[package], part, module)
