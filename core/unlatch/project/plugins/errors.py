"""Errors in the code of a plugin, reported as the plugin's, with its distribution."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shlex import quote

from unlatch.errors import PluginBroken, UnlatchError
from unlatch.project.plugins.printing import printing_aside
from unlatch.worklog.entry_points import PLUGINS, distribution_in, distribution_of


def broken_plugin(name: str, problem: str, *, where: str | None = None) -> PluginBroken:
    """The error to raise; `where` is the part of the plugin with the problem."""
    return _error(name, f"cannot be used: {problem}", where)


def _error(name: str, what: str, where: str | None = None) -> PluginBroken:
    found = distribution_of(PLUGINS, name)
    culprit = f"the plugin {name}" + (f" ({found})" if found else "")
    package = quote(found.partition(" ")[0] if found else name)
    hint = f"pip install --upgrade {package}; if that does not help, report this to its authors"
    return PluginBroken("plugin-broken", f"{culprit} {what}", where=where, hint=hint)


def check_rivals(name: str, folders: Sequence[str]) -> None:
    """Refuse a plugin of several distributions: their order on sys.path gave one the token."""
    if len(folders) > 1:
        found = [distribution_in(one) for one in folders]
        message = f"several distributions have a plugin {name}: {', '.join(found)}"
        steps = (f"pip uninstall {quote(one.partition(' ')[0])}" for one in found)
        raise PluginBroken("plugin-broken", message, hint=f"keep one: {', or '.join(steps)}")


@contextmanager
def blaming(
    name: str, doing: str, *, where: str | None = None, of: type | None = None
) -> Iterator[None]:
    """Report errors in a plugin's code as the plugin's, except those that it raises for users.

    Args:
        doing: what fails then.
        of: a class of the plugin, whose package the line of the error is in.
    """
    try:
        with printing_aside():
            yield
    except (UnlatchError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise _failure(name, doing, error, where, of) from error


@contextmanager
def importing(name: str, module: str, *, where: str) -> Iterator[None]:
    """Report every error in the import of a plugin's module as the plugin's."""
    try:
        with printing_aside():
            yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failure(name, f"importing {module}", error, where, None) from error


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
