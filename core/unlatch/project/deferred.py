"""Import parts of a library without running the packages around them.

`github.Requester` is a tenth of PyGithub, but Python runs the whole of `github` before it.
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType
from typing import Any

# Seconds that a thread waits for another one that runs a module. That one may wait for this thread
# in turn, by a lock of the import system; then this one sees the module half run, as in any cycle
# of imports.
_LONGEST_WAIT = 5.0
_running = RLock()
_begun: set[str] = set()


class _Deferred(ModuleType):
    """A module that runs when a name is used that it does not have."""

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":  # the import system asks whether it is a package
            raise AttributeError(name)
        if hasattr(self, "__path__") and find_spec(f"{self.__name__}.{name}"):
            return import_module(f"{self.__name__}.{name}")
        has_lock = _running.acquire(timeout=_LONGEST_WAIT)
        try:
            if self.__name__ not in _begun:
                _run(self)
        finally:
            if has_lock:
                _running.release()
        # One that is half run has no further names.
        return getattr(super() if isinstance(self, _Deferred) else self, name)


def _run(module: _Deferred) -> None:
    if not isinstance(module, _Deferred) or not (module.__spec__ and module.__spec__.loader):
        return  # another thread has run it meanwhile
    _begun.add(module.__name__)
    try:
        module.__spec__.loader.exec_module(module)
        module.__class__ = ModuleType  # type: ignore[assignment]  # for good
    finally:
        _begun.discard(module.__name__)


def defer(names: Iterable[str]) -> None:
    """Run these modules only when something in them is used; those already imported stay."""
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None:
            made = module_from_spec(spec)
            made.__class__ = _Deferred
            sys.modules[name] = made
