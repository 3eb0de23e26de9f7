"""Errors of plugins: blame them by name, also for what they print."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from shlex import quote
from typing import Any

from unlatch.errors import PluginBroken, UnlatchError
from unlatch.worklog.entry_points import PLUGINS, distribution_in, distribution_of

_IS_PLUGIN = ContextVar("is plugin", default=False)


class _Stdout:
    """Stands for sys.stdout; it is sys.stderr where a plugin's code runs.

    `redirect_stdout` would redirect the output of all threads, and trackers work side by side.
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr if _IS_PLUGIN.get() else self._own, name)


@contextmanager
def printing_aside() -> Iterator[None]:
    """Send to stderr what this code prints, also in the threads of `side_by_side`."""
    if not isinstance(sys.stdout, _Stdout):
        sys.stdout = _Stdout(sys.stdout)
    before = _IS_PLUGIN.set(True)
    try:
        yield
    finally:
        _IS_PLUGIN.reset(before)


def broken_plugin(name: str, problem: str, *, where: str | None = None) -> PluginBroken:
    """The error to raise; `where` is the part of the plugin with the problem."""
    return _error(name, f"cannot be used: {problem}", where)


def _error(name: str, what: str, where: str | None = None) -> PluginBroken:
    distribution = distribution_of(PLUGINS, name)
    culprit = f"the plugin {name}" + (f" ({distribution})" if distribution else "")
    package = quote(distribution.partition(" ")[0] if distribution else name)
    hint = f"pip install --upgrade {package}; if that does not help, report this to its authors"
    return PluginBroken("plugin-broken", f"{culprit} {what}", where=where, hint=hint)


def check_rivals(name: str, folders: Sequence[str]) -> None:
    """Refuse a plugin of several distributions: their order on sys.path gave one the token."""
    if len(folders) > 1:
        distributions = [distribution_in(folder) for folder in folders]
        message = f"several distributions have a plugin {name}: {', '.join(distributions)}"
        steps = (
            f"pip uninstall {quote(distribution.partition(' ')[0])}"
            for distribution in distributions
        )
        raise PluginBroken("plugin-broken", message, hint=f"keep one: {', or '.join(steps)}")


@contextmanager
def blaming(
    name: str,
    doing: str,
    *,
    where: str | None = None,
    of: type | None = None,
    own: tuple[type[UnlatchError], ...] = (UnlatchError,),
) -> Iterator[None]:
    """Report errors in a plugin's code as the plugin's, except those that it raises for users.

    Args:
        doing: what fails then.
        of: a class of the plugin, whose package the line of the error is in.
        own: the errors for users.
    """
    try:
        with printing_aside():
            yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, own):
            raise
        raise _failure(name, doing, error, where, of) from error


def _failure(
    name: str, doing: str, error: BaseException, where: str | None, of: type | None
) -> PluginBroken:
    cause = _cause(error)
    if of is not None:
        return _error(name, f"failed at {_line(error, of) or doing}: {cause}", where)
    return broken_plugin(name, f"{doing} failed: {cause}", where=where)


def _cause(error: BaseException) -> str:
    kind = type(error).__name__
    try:
        return f"{kind}: {error}" if str(error) else kind
    except Exception:  # noqa: BLE001  # its text is the plugin's code, too
        return kind


def _line(error: BaseException, of: type) -> str | None:
    """The innermost line of the plugin's own code that an error passed through."""
    from traceback import walk_tb  # noqa: PLC0415  (slow to load)

    package = of.__module__.partition(".")[0]
    for frame, line in reversed([*walk_tb(error.__traceback__)]):
        module = str(frame.f_globals.get("__name__"))
        if module.partition(".")[0] == package:
            return f"{module}:{line}"
    return None


def check_part(name: str, where: str, mistakes: Sequence[str]) -> None:
    """Refuse a part of a plugin with mistakes; PluginBroken."""
    if mistakes:
        raise broken_plugin(name, f"{where} {'; '.join(mistakes)}", where=where)
