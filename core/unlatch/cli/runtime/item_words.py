"""Items as people type them: #4, a number, an address, a list on stdin; in a project or not."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from unlatch.cli.runtime.failure import in_job, part
from unlatch.cli.terminal import output
from unlatch.errors import StoreError, UnlatchError, UsageError
from unlatch.lifecycle.items.change import find_item_record, locate_items
from unlatch.lifecycle.items.outcome import is_left_open
from unlatch.lifecycle.items.places import ItemGroup, group_in_project, group_outside, user_items
from unlatch.patterns import pattern
from unlatch.project.registry import Registry
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi.operation import Kind
from unlatch.worklog.disk.user_files import user_config_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.items.repository import Numbered
    from unlatch.spi import ItemRef, Settings


STDIN = "-"
# Characters of a list on stdin.
_LONGEST_LIST = 1 << 23
_NUMBER = pattern(r"#?(?P<number>0*[1-9][0-9]{0,8})")
_HOST = pattern(r"(?P<host>[A-Za-z0-9.-]+\.[A-Za-z]+)/[^\s/]+/\S+")


def items_typed(
    context: Context, words: Iterable[str], *, numbers: bool = False
) -> tuple[str, ...]:
    """The words, with an address in place of what only people understand.

    #4 is item 4 of the repository: the one that [trackers] names, else that of the environment
    (GH_REPO), else that of the git remote origin.

    Args:
        numbers: whether 4 means the same, where there are no increments.

    Raises:
        UsageError: `unknown-item`: no repository is known for #4; `items-unreadable`.
    """
    typed = _Typed(context, numbers=numbers)
    return tuple(map(typed.item, _listed(words)))


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
    lines = text.removeprefix("\ufeff").splitlines()  # as editors on Windows begin a file
    yield from filter(None, (" ".join(line.split()) for line in lines))


def _unreadable(why: str) -> UsageError:
    hint = "write one item a line: an address, or a name such as octo/widgets#4"
    return UsageError("items-unreadable", f"the list of items on stdin {why}", hint=hint)


class _Typed:
    """What short names mean here; a list has thousands, so that all is asked once."""

    def __init__(self, context: Context, *, numbers: bool) -> None:
        self._context, self._numbers = context, numbers
        self._told: set[str] = set()

    def item(self, word: str) -> str:
        if (match := _NUMBER.fullmatch(word)) is not None:
            if word.startswith("#"):
                return self._of_repository(match["number"])
            if not self._numbers or self._has_increments:
                return word
            address = self._of_origin(match["number"])
            if address:
                output.note(f"there are no increments, so {word} is {output.clean(address)}")
            return address or word
        match = _HOST.fullmatch(word)
        return f"https://{word}" if match and self._is_tracker(match["host"].lower()) else word

    @cached_property
    def _has_increments(self) -> bool:
        context = self._context
        return context.has_project and bool(context.workspace.manager.places())

    @cached_property
    def _hosts(self) -> list[str]:
        """What the addresses of items begin with."""
        hosts = [at for manifest in Registry().manifests.values() for at in manifest.hosts]
        return hosts + [_host_of(settings.base_url) for settings in self._configured]

    def _is_tracker(self, host: str) -> bool:
        from fnmatch import fnmatchcase  # noqa: PLC0415  (rarely needed)

        return any(fnmatchcase(host, at) for at in self._hosts)

    @cached_property
    def _configured(self) -> list[Settings]:
        context = self._context
        return [*context.workspace.settings.values()] if context.has_project else []

    def _of_repository(self, number: str) -> str:
        from unlatch.lifecycle.items import repository  # noqa: PLC0415  (rarely needed)

        named = [ref for at in self._configured if (ref := repository.numbered(at, number))]
        if len(named) == 1:
            return named[0].url
        if named:
            places = " and ".join(ref.target for ref in named)
            raise repository.unknown_number(number, f"could be an item of {places}")
        if address := self._of_origin(number):
            return address
        raise repository.no_repository(*_place(self._context), number)

    @cached_property
    def _repositories(self) -> Mapping[str, Numbered]:
        return _repositories(self._context)

    def _of_origin(self, number: str) -> str | None:
        """The address of an item of the repository that GH_REPO or origin names, if one does."""
        from unlatch.lifecycle.items.repository import items_of_remotes  # noqa: PLC0415  (rare)

        item, others = items_of_remotes(self._repositories, number)
        if item is None:
            return None
        for remote, other in others:
            if remote not in self._told:
                self._told.add(remote)
                here, there = (output.clean(f"{ref.target}#{number}") for ref in (item, other))
                that = output.clean(remote)
                output.note(f"#{number} is {here}, of origin; that of {that} is {there}")
        return item.url


def _host_of(address: str) -> str:
    return address.partition("://")[2].partition("/")[0].lower()


def _repositories(context: Context) -> Mapping[str, Numbered]:
    """The repositories of git's remotes; one that the environment names is the only origin."""
    from unlatch.lifecycle.items import repository  # noqa: PLC0415  (rarely needed)

    workspace, remotes = _place(context)
    if named := repository.repository_of_environment(workspace):
        return {repository.ORIGIN: named}
    return repository.repositories_of_remotes(workspace, remotes)


def is_of_origin(context: Context, ref: ItemRef) -> bool:
    """Whether an item is in the repository that the git remote origin has.

    An address by an alias of SSH tells no host, so it counts as another one.
    """
    from unlatch.lifecycle.items import repository  # noqa: PLC0415  (rarely needed)

    repositories = repository.repositories_of_remotes(*_place(context))
    same, _ = repository.items_of_remotes(repositories, ref.id)
    if same is None or same.tracker != ref.tracker:
        return False
    hosts = {urlsplit(item.url).hostname for item in (same, ref)}
    return len(hosts) == 1 and same.target.casefold() == ref.target.casefold()


def _place(context: Context) -> tuple[Workspace, Mapping[str, str]]:
    """The user's settings, and the addresses of the git remotes that count."""
    from unlatch.lifecycle.items.repository import read_remotes  # noqa: PLC0415  (rarely needed)

    if context.has_project:
        workspace, folder = context.workspace, context.paths.root
    else:
        workspace = Workspace(user_items(), os.environ, user_config_file(), tables={})
        folder = Path.cwd()
    own = part("repository")(os.environ) if in_job() else None
    return workspace, read_remotes(folder, own=own)


def find_groups(context: Context, words: Sequence[str]) -> list[ItemGroup]:
    """The named items in groups that one set of settings serves.

    In a project its settings serve all items that `_is_usable` does not name.

    Raises:
        UsageError: no tracker that may be used here knows an item.
    """
    if not context.has_project:
        return _outside(words)
    unknown = _not_configured(context.workspace, words)
    if not unknown or context.workspace.allowed_targets is not None:
        return [group_in_project(context.workspace, words)]
    for word, error in unknown.items():
        if not _is_usable(context.workspace, word):
            raise error
    groups = _outside(unknown)
    others = [word for word in words if word not in unknown]
    return [group_in_project(context.workspace, others), *groups] if others else groups


def _outside(words: Iterable[str]) -> list[ItemGroup]:
    return group_outside(words, environ=os.environ, user_config=user_config_file())


def _not_configured(workspace: Workspace, words: Iterable[str]) -> dict[str, UsageError]:
    """The items that no configured tracker of a project knows, and its errors for them."""
    trackers, errors = Trackers(workspace), dict[str, UsageError]()
    for word in words:
        try:
            trackers.item(word, alone=True)
        except UsageError as error:
            if error.id in ("tracker-not-configured", "url-unknown", "unknown-item"):
                errors[word] = error
        except UnlatchError:
            continue  # such as a mistake in the configuration, which is reported later
    return errors


def _is_usable(workspace: Workspace, word: str) -> bool:
    """Whether an item that a project does not configure is this user's to change.

    It has a record from outside of the project, or an address on a tracker without any settings:
    a name may be a mistyped one of the project, and the targets of a tracker are its guard.
    """
    with suppress(UnlatchError):
        (group,) = _outside([word])
        (ref,) = locate_items(Trackers(group.workspace), [word], offline=True)
        is_free = "://" in word and ref.tracker not in workspace.settings
        return is_free or record_outside(ref) is not None
    return False


def with_increments(context: Context, group: ItemGroup) -> Workspace:
    """The workspace beside whose records the increments are that may have a group's items."""
    if group.is_project or not context.has_project:
        return group.workspace
    return group_in_project(context.workspace, ()).workspace


def find_record(context: Context, word: str) -> tuple[Context, str] | None:
    """The context over the record of an item, and the record's name; None if it has none.

    No tracker is asked: the commands for records send nothing.
    """
    return next(((own, record.id) for own, record in _find_records(context, word)), None)


def _find_records(context: Context, word: str) -> Iterator[tuple[Context, Increment]]:
    """The records of an item: in a project its own, then this user's from before it."""
    (group,) = find_groups(context, [word])
    (ref,) = locate_items(Trackers(group.workspace), [word], offline=True)
    if record := find_item_record(group.workspace, ref):
        yield context.over(group.workspace), record
    if group.is_project and (record := record_outside(ref)):
        (group,) = _outside([ref.url])
        yield context.over(group.workspace), record


def nothing_recorded(context: Context, word: str) -> UsageError:
    """The error for an item that neither a record nor an increment is about."""
    linked = ", and no increment is linked to it" if context.has_project else ""
    message = f"nothing is recorded here for {word}{linked}"
    return UsageError("nothing-recorded", message, hint=f"unlatch status {quote(word)}")


def record_outside(ref: ItemRef) -> Increment | None:
    """This user's record of an item outside of projects."""
    from unlatch.lifecycle.items.pending import items_of_user  # noqa: PLC0415

    mine = items_of_user(environ=os.environ, user_config=user_config_file())
    return find_item_record(mine, ref) if mine else None


def count_elsewhere() -> int:
    """The number of records of items that this user has outside of projects."""
    from unlatch.lifecycle.items.pending import items_of_user  # noqa: PLC0415

    mine = items_of_user(environ=os.environ, user_config=user_config_file())
    return len([*mine.manager.collection.folders()]) if mine else 0


def over_items(context: Context) -> Context:
    """The context over the records of items alone, in the project or else this user's."""
    from unlatch.lifecycle.items.pending import items_of_project, user_workspace  # noqa: PLC0415

    if context.has_project:
        return context.over(items_of_project(context.workspace))
    return context.over(user_workspace(environ=os.environ, user_config=user_config_file()))


def reopened_record(context: Context, word: str) -> tuple[Context, str]:
    """The context over the record of an item that unlatch reopened, and the record's name.

    Raises:
        StoreError: `nothing-to-undo`: no reopen waits or opened the item, or it was closed since;
            the record cannot be read.
        UsageError: no tracker knows the item.
    """
    for own, record in _find_records(context, word):
        waits = any(
            operation.kind is Kind.REOPEN and operation.state for operation in record.pending
        )
        if waits or is_left_open(record):
            return own, record.id
    linked = f"no increment is linked to {word}, and " if context.has_project else ""
    message = f"{linked}no reopen of {'it' if linked else word} is left to undo"
    raise StoreError("nothing-to-undo", message, hint=f"unlatch status {quote(word)}")
