"""Items as people type them: #4, a number, an address without https, a list on stdin."""

from __future__ import annotations

import io
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from unlatch.cli.terminal import output
from unlatch.errors import PluginBroken, UnlatchError, UsageError
from unlatch.patterns import pattern
from unlatch.project.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.cli.runtime.session import Session
    from unlatch.spi import ItemRef, Settings

STDIN = "-"
_SEPARATORS = pattern(r"[/:@]")
# Characters of a list on stdin.
_LONGEST_LIST = 1 << 23
_NUMBER = pattern(r"#?(?P<number>[0-9]{1,9})")
_HOST = pattern(r"(?P<host>[A-Za-z0-9.-]+\.[A-Za-z]+)/[^\s/]+/\S+")


def items_typed(
    session: Session, words: Iterable[str], *, numbers: bool = False
) -> tuple[str, ...]:
    """The words, with an address in place of what only people understand.

    #4 is item 4 of the repository: the one that [trackers] names, else that of the git remote
    origin.

    Args:
        numbers: whether 4 means the same, where there are no increments.

    Raises:
        UsageError: `unknown-item`: no repository is known for #4; `items-unreadable`.
    """
    return tuple(_typed(session, word, numbers=numbers) for word in _listed(words))


def _listed(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield from _lines() if word == STDIN else [" ".join(word.split())]


def _lines() -> Iterator[str]:
    """The items on stdin, one a line."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="strict")
    try:
        text = sys.stdin.read(_LONGEST_LIST)
    except UnicodeDecodeError as error:
        raise _unreadable("is not UTF-8 text") from error
    if len(text) == _LONGEST_LIST:
        raise _unreadable(f"has {_LONGEST_LIST:,} characters or more")
    yield from filter(None, (" ".join(line.split()) for line in text.splitlines()))


def _unreadable(why: str) -> UsageError:
    hint = "write one item a line: an address, or a name such as octo/widgets#4"
    return UsageError("items-unreadable", f"the list of items on stdin {why}", hint=hint)


def _typed(session: Session, word: str, *, numbers: bool) -> str:
    if (match := _NUMBER.fullmatch(word)) is not None:
        if word.startswith("#"):
            return _of_repository(session, match["number"])
        if not numbers or _has_increments(session):
            return word
        address = _of_origin(session, match["number"])
        if address:
            output.note(f"there are no increments, so {word} is {output.clean(address)}")
        return address or word
    match = _HOST.fullmatch(word)
    return f"https://{word}" if match and _is_tracker(session, match["host"]) else word


def _has_increments(session: Session) -> bool:
    return session.has_project and bool(session.workspace.manager.places())


def _is_tracker(session: Session, host: str) -> bool:
    """Whether addresses of items begin with this host."""
    from fnmatch import fnmatchcase  # noqa: PLC0415  (rarely needed)

    known = [at for manifest in Registry().manifests.values() for at in manifest.hosts]
    if session.has_project:
        known += [_host_of(one.base_url) for one in session.workspace.settings.values()]
    return any(fnmatchcase(host.lower(), at) for at in known)


def _host_of(address: str) -> str:
    return address.partition("://")[2].partition("/")[0].lower()


def _of_repository(session: Session, number: str) -> str:
    configured = session.workspace.settings.values() if session.has_project else ()
    named = [ref for settings in configured if (ref := _numbered(settings, number))]
    if len(named) == 1:
        return named[0].url
    if named:
        places = " and ".join(ref.target for ref in named)
        raise _unknown(number, f"could be an item of {places}")
    if address := _of_origin(session, number):
        return address
    remote = _origin(session)
    raise _unknown(
        number,
        f"needs a repository, and no tracker knows that of origin: {remote}"
        if remote
        else "needs a repository, and there is no git remote origin",
    )


def _unknown(number: str, why: str) -> UsageError:
    hint = f"paste the item's address, or name its repository: {quote(f'octo/widgets#{number}')}"
    return UsageError("unknown-item", f"'#{number}' {why}", hint=hint)


def is_of_origin(session: Session, ref: ItemRef) -> bool:
    """Whether an item is in the repository that the git remote origin has.

    An address by an alias of SSH tells no host, so it counts as another one.
    """
    address = _origin(session).casefold().rstrip("/").removesuffix(".git")
    *places, owner, name = ["", "", *filter(None, _SEPARATORS.split(address))]
    return f"{owner}/{name}" == ref.target.casefold() and urlsplit(ref.url).hostname in places


def _of_origin(session: Session, number: str) -> str | None:
    """The address of an item of the repository that the git remote origin has; None without."""
    from unlatch.project.check_trackers import read_settings  # noqa: PLC0415  (loads pydantic)
    from unlatch.project.plugins.loading import table_for  # noqa: PLC0415

    remote = _origin(session)
    for manifest in Registry().manifests.values() if remote else ():
        with suppress(PluginBroken):
            table = table_for(manifest, remote)
            if table is None:
                continue
            tables = tomllib.loads(table)["trackers"]
            settings, _ = read_settings(manifest, tables[manifest.name])
            if settings and (ref := _numbered(settings, number)):
                return ref.url
    return None


def _numbered(settings: Settings, number: str) -> ItemRef | None:
    """The item of the configured target that its tracker calls #4."""
    try:
        ref = settings.locate(number, None)
    except UnlatchError:
        return None
    return ref if ref and settings.name(ref).endswith(f"#{number}") else None


def _origin(session: Session) -> str:
    """The address of the git remote origin, without a user and password; empty without one."""
    from unlatch.project.git.run import SECRET, ask_git  # noqa: PLC0415  (slow to load)

    here = session.paths.root if session.has_project else Path.cwd()
    return SECRET.sub("", ask_git(here, "remote", "get-url", "origin") or "")
