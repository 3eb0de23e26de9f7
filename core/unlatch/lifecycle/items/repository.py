"""Items by their number alone, in the repository that a git remote names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import PluginBroken, UnlatchError, UsageError
from unlatch.lifecycle.items.places import settings_of_item
from unlatch.patterns import pattern
from unlatch.project.git.run import ask_git, without_credentials
from unlatch.spi import ItemRef

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.spi import Manifest, Settings

# The item of a number in one repository; None if it can be no item there.
Numbered = Callable[[str], ItemRef | None]
ORIGIN = "origin"
# Both https://HOST/PATH and HOST:PATH, as ssh and scp write it.
_ADDRESS = pattern(
    r"(?:(?P<scheme>[a-z+]+)://)?(?:[^@/\s]*@)?(?P<host>[A-Za-z0-9.-]+)(?P<port>:[0-9]+(?=/))?[:/]/?"
    r"(?P<path>[^\s:?#]+?)(?:\.git)?/?"
)
_REPOSITORY = pattern(r"[\w-][\w.-]*/[\w-][\w.-]*")


def read_remotes(folder: Path, *, own: str | None = None) -> Mapping[str, str]:
    """The addresses of git's remotes by name, without a user and password.

    In a job without a checkout, its `own` repository is origin.
    """
    remotes: dict[str, str] = {}
    for line in (ask_git(folder, "remote", "--verbose") or "").splitlines():
        name, _, address = line.partition("\t")
        remotes.setdefault(name, without_credentials(address.rpartition(" (")[0]))
    for name in (ORIGIN, "the job") if own else ():
        remotes.setdefault(name, without_credentials(own or ""))
    return remotes


def repositories_of_remotes(
    workspace: Workspace, remotes: Mapping[str, str]
) -> Mapping[str, Numbered]:
    """The repositories of git's remotes by the remote's name, each as what gives #4 its item.

    Only hosts that a tracker's token may be sent to count.
    """
    return {
        name: partial(numbered, settings, of=path)
        for name, address in remotes.items()
        for _, settings, path in _settings(workspace, address, trusted=True)
    }


def repository_of_environment(workspace: Workspace) -> Numbered | None:
    """The repository that the environment names, as GH_REPO does; None without."""
    for manifest in workspace.registry.manifests.values():
        with suppress(PluginBroken):
            if settings := settings_of_item(manifest, "#1", workspace.environ):
                return partial(numbered, settings)
    return None


def items_of_remotes(
    repositories: Mapping[str, Numbered], number: str
) -> tuple[ItemRef | None, list[tuple[str, ItemRef]]]:
    """The item of this number in the repository of the git remote `origin`, and in others.

    Returns:
        The item of `origin`, and those of other repositories with the names of their remotes.
    """
    items = {name: item for name, of in repositories.items() if (item := of(number))}
    origin = items.get(ORIGIN)
    return origin, [(name, item) for name, item in items.items() if origin and item != origin]


def no_repository(workspace: Workspace, remotes: Mapping[str, str], number: str) -> UsageError:
    """Why #4 is no item: `unknown-item`, with the command or setting that helps."""
    if not (address := remotes.get(ORIGIN, "")):
        others = "; other remotes: " + ", ".join(remotes) if remotes else ""
        reason = f"needs a repository, and there is no git remote origin{others}"
        names = (_named(remote, number) for remote in remotes.values())
        return unknown_number(number, reason, next(filter(None, names), None))
    reason = f"needs a repository, and no tracker knows that of origin: {address}"
    error = unknown_number(number, reason, _named(address, number))
    host = _parsed(address)[0].partition("://")[2]
    for manifest, _, _ in _settings(workspace, address, trusted=False):
        error.hint = (
            f"if {host} is your {manifest.title} server, set "
            f"UNLATCH_TRUSTED_HOSTS={manifest.name}={host} in the environment"
        )
    return error


def unknown_number(number: str, reason: str, name: str | None = None) -> UsageError:
    """The error for a number whose repository is not known.

    Args:
        name: the item as people may name it.
    """
    example = quote(name or f"octo/widgets#{number}")
    hint = f"paste the item's address, or name its repository: {example}"
    return UsageError("unknown-item", f"'#{number}' {reason}", hint=hint)


def numbered(settings: Settings, number: str, of: str = "") -> ItemRef | None:
    """The item that its tracker calls #4, `of` a target or the configured one."""
    with suppress(UnlatchError):
        item = settings.locate(f"{of}#{number}" if of else number, None)
        return item if item and settings.name(item).endswith(f"{of}#{number}") else None
    return None


def _parsed(address: str) -> tuple[str, str]:
    """The web address of a remote's host, empty if it tells none, and the path there."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return "", ""
    host, path = match["host"].lower(), match["path"]
    if match["scheme"] in ("http", "https"):
        return f"{match['scheme']}://{host}{match['port'] or ''}", path
    # A host without a dot is an alias in the user's ssh configuration.
    return (f"https://{host}" if "." in host else ""), path


def _named(address: str, number: str) -> str | None:
    """The item as its repository's name has it: octo/widgets#4."""
    _, path = _parsed(address)
    return f"{path}#{number}" if _REPOSITORY.fullmatch(path) else None


def _settings(
    workspace: Workspace, address: str, *, trusted: bool
) -> Iterator[tuple[Manifest, Settings, str]]:
    """Each tracker that can have the repository at an address, with settings and its name there.

    Args:
        trusted: those alone whose token may be sent there.
    """
    web, path = _parsed(address)
    if not web:
        return
    for manifest in workspace.registry.manifests.values():
        with suppress(PluginBroken):
            settings = settings_of_item(manifest, f"{web}/{path}#1", workspace.environ)
            if settings is None or numbered(settings, "1", of=path) is None:
                continue
            if not trusted or _is_trusted(workspace, manifest, settings):
                yield manifest, settings, path


def _is_trusted(workspace: Workspace, manifest: Manifest, settings: Settings) -> bool:
    from unlatch.transport.trust import check_origin  # noqa: PLC0415  (rarely needed)

    try:
        check_origin(settings.base_url, manifest, workspace.trusted_hosts)
    except UnlatchError:
        return False
    return True
