"""Modules that moved, most to packages: their former names work for one more release."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import MappingProxyType, ModuleType

# The former name of each module that a third party may import, with its present one.
_MOVED = MappingProxyType(
    {
        "unlatch.efforts": "unlatch_efforts",
        "unlatch.efforts.highlights": "unlatch.related.highlights",
        "unlatch.efforts.identifiers": "unlatch.related.identifiers",
        "unlatch.llm": "unlatch_efforts.llm",
        "unlatch.llm.port": "unlatch.chat_model",
        "unlatch.runs": "unlatch_runs",
        "unlatch.sessions": "unlatch_sessions",
        "unlatch.spi.asked": "unlatch.spi.history",
        "unlatch.spi.category": "unlatch.spi.operation",
        "unlatch.spi.check_boxes": "unlatch.spi.body",
        "unlatch.spi.delivery_options": "unlatch.spi.operation",
        "unlatch.spi.kept_part": "unlatch.spi.body",
        "unlatch.spi.shortening": "unlatch.spi.body",
        "unlatch.testing.checks": "unlatch.testing.clone",
        "unlatch.testing.comments": "unlatch.testing.history",
        "unlatch.testing.fixture": "unlatch.testing.harness",
        "unlatch.testing.labels": "unlatch.testing.bodies",
        "unlatch.testing.parts": "unlatch.testing.resilience",
        "unlatch.testing.people": "unlatch.testing.behaviour",
        "unlatch.testing.dispatch": "unlatch_runs.testing",
        "unlatch.transcripts": "unlatch_agents.transcripts",
        "unlatch.transport.answer_fields": "unlatch.transport.answer",
        "unlatch.transport.error_table": "unlatch.transport.errors",
        "unlatch.transport.options": "unlatch.transport.breaker",
        "unlatch.transport.pace": "unlatch.transport.rate_limits",
        "unlatch.transport.parallel_requests": "unlatch.transport.request_context",
        "unlatch.transport.redact": "unlatch.transport.trace",
    }
)


def spec_of(name: str) -> ModuleSpec | None:
    """How a module of a former name is imported; None if it is not one."""
    for former, present in sorted(_MOVED.items(), reverse=True):
        if name == former or name.startswith(f"{former}."):
            spec = ModuleSpec(name, _Loader(f"{present}{name.removeprefix(former)}"))
            spec.submodule_search_locations = []  # what is below it has a former name, too
            return spec
    return None


class _Loader(Loader):
    """Makes a module that has what the present one has."""

    def __init__(self, present: str) -> None:
        self._present = present

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        try:
            import_module(self._present)
        except ModuleNotFoundError as error:
            if error.name != self._present:
                raise
            message = f"No module named {spec.name!r}"
            raise ModuleNotFoundError(message, name=spec.name) from None
        return None

    def exec_module(self, module: ModuleType) -> None:
        present = sys.modules[self._present]
        message = f"{module.__name__} is {self._present} now; the next release has no other name"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        module.__doc__ = present.__doc__
        module.__getattr__ = lambda name: getattr(present, name)  # type: ignore[method-assign]
