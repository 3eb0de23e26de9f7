"""Errors in the code of a plugin, reported as the plugin's, with its distribution."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shlex import quote

from unlatch.errors import PluginBroken, UnlatchError, unexpected
from unlatch.worklog.entry_points import PLUGINS, distribution_of, entry_points

_OWN = "unlatch"  # our distribution, and its package


def broken_plugin(name: str, problem: str, *, where: str | None = None) -> PluginBroken:
    """The error to raise; `where` is the part of the plugin with the problem."""
    return _error(name, f"cannot be used: {problem}", where)


def _error(name: str, what: str, where: str | None = None) -> PluginBroken:
    found = distribution_of(PLUGINS, name)
    culprit = f"the plugin {name}" + (f" ({found})" if found else "")
    package = quote(found.partition(" ")[0] if found else name)
    hint = f"pip install --upgrade {package}; if that does not help, report this to its authors"
    return PluginBroken("plugin-broken", f"{culprit} {what}", where=where, hint=hint)


@contextmanager
def blaming(name: str, doing: str, *, where: str | None = None) -> Iterator[None]:
    """Report errors in a plugin's code as the plugin's, except those that it raises for users."""
    try:
        yield
    except UnlatchError:
        raise
    except (Exception, SystemExit) as error:
        cause = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise broken_plugin(name, f"{doing} failed: {cause}", where=where) from error


def attribute(error: Exception) -> UnlatchError:
    """Return an error as ours, or as that of the third party's plugin whose code raised it."""
    if not isinstance(error, UnlatchError) and (place := _plugin_of(error)):
        name, where = place
        broken = _error(name, f"failed at {where}: {type(error).__name__}: {error}")
        broken.__cause__ = error
        return broken
    return unexpected(error)


def _plugin_of(error: Exception) -> tuple[str, str] | None:
    """The plugin that the innermost code is of, and the line; None for unlatch's own code."""
    from traceback import walk_tb  # noqa: PLC0415  (slow to load)

    packages = {_package(target): name for name, target in entry_points(PLUGINS).items()}
    for frame, line in reversed([*walk_tb(error.__traceback__)]):
        module = str(frame.f_globals.get("__name__"))
        name = packages.get(_package(module))
        if name is not None:
            own = (distribution_of(PLUGINS, name) or "").partition(" ")[0] == _OWN
            return None if own else (name, f"{module}:{line}")
        if _package(module) == _OWN:
            return None
    return None


def _package(target: str) -> str:
    return target.partition(":")[0].partition(".")[0]


def check_part(name: str, where: str, mistakes: Sequence[str]) -> None:
    """Refuse a part of a plugin with mistakes; PluginBroken."""
    if mistakes:
        raise broken_plugin(name, f"{where} {'; '.join(mistakes)}", where=where)
