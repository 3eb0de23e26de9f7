"""Former names of configured targets, and the errors for what is not configured."""

from __future__ import annotations

import threading
from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError, PluginBroken, UnlatchError, UsageError
from unlatch.project.plugins.errors import blaming
from unlatch.project.plugins.loading import load, table_for
from unlatch.spi import Capability

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.project.registry import Registry
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef, Manifest, SyncPlugin


class FormerNames:
    """Asks a tracker once for each target; one that does not answer has no former name."""

    def __init__(self, registry: Registry, open_plugin: Callable[[str], SyncPlugin]) -> None:
        self._registry, self._open = registry, open_plugin
        self._known: dict[tuple[str, str], str | None] = {}
        self._lock = threading.Lock()

    def present(self, ref: ItemRef) -> str | None:
        """The configured target that had the name of an item's target before."""
        key = (ref.tracker, ref.target)
        if Capability.RENAMES not in self._registry.manifest(ref.tracker).capabilities:
            return None
        with self._lock:
            if key not in self._known:
                self._known[key] = None
                with suppress(UnlatchError):  # without an answer, the target is refused
                    self._known[key] = self._open(ref.tracker).present_name(ref.target)
            return self._known[key]


def not_configured(workspace: Workspace, manifest: Manifest, url: str = "") -> UsageError:
    lines = (table_for(manifest, url) or manifest.example).splitlines()[1:]
    example = f", for example with {', '.join(lines)}" if lines else ""
    return UsageError(
        "tracker-not-configured",
        f"{manifest.title} is not configured",
        where=str(workspace.paths.config),
        hint=f"add a table [trackers.{manifest.name}]{example}",
    )


def unknown_name(workspace: Workspace, key: str) -> UnlatchError:
    return _broken(workspace) or UsageError(
        "unknown-item",
        f"{key!r} names no item of a configured tracker (configured: {_known(workspace)})",
        hint="paste the item's address, or its name: octo/widgets#4, SCRUM-28",
    )


def unknown_address(
    workspace: Workspace, url: str, failed: Mapping[str, PluginBroken]
) -> UnlatchError:
    """The error for an address that no tracker knows; the plugins `failed` did not say."""
    from fnmatch import fnmatchcase  # noqa: PLC0415  (slow to load)
    from urllib.parse import urlsplit  # noqa: PLC0415  (as above)

    host = ""
    with suppress(ValueError):
        host = urlsplit(url).hostname or ""
    for manifest in workspace.registry.manifests.values():
        if any(fnmatchcase(host, pattern) for pattern in manifest.hosts):
            if manifest.name not in workspace.settings:
                return not_configured(workspace, manifest, url)
            if manifest.name in failed:
                return failed[manifest.name]
            if error := _refusal(manifest, url, workspace.environ):
                return error
            message = f"{manifest.title} has no {manifest.noun} at this address"
            hint = f"paste the address of the {manifest.noun} as a browser shows it"
            return UsageError("url-unknown", message, where=url, hint=hint)
    if broken := next(iter(failed.values()), None) or _broken(workspace):
        return broken
    configured = f"(configured: {_known(workspace)})"
    message = f"no configured tracker has an item at this address {configured}"
    hint = "paste the address of an item as a browser shows it"
    if host:
        hint += f"; if a tracker of yours is at {host}, set its address in .unlatch/config.toml"
    return UsageError("url-unknown", message, where=url, hint=hint)


def of_no_increment(manifest: Manifest, ref: ItemRef) -> UsageError:
    message = f"{manifest.title} has no {manifest.noun} that an increment can have at this address"
    hint = f"to change it alone: unlatch reopen {quote(ref.url)}, or unlatch close"
    return UsageError("url-unknown", message, where=ref.url, hint=hint)


def _refusal(manifest: Manifest, url: str, environ: Mapping[str, str]) -> UnlatchError | None:
    """Why a tracker takes no item from an address of its own, if it says so."""
    if manifest.outside:
        try:
            with suppress(ConfigError):
                find = load(manifest.name, manifest.outside)
                with blaming(manifest.name, "finding an item", where=manifest.outside):
                    find(url, environ)
        except (PluginBroken, UsageError) as error:
            return error
    return None


def find_unconfigured(workspace: Workspace, key: str) -> Manifest | None:
    """The tracker whose items have names like this, if it is not configured."""
    for manifest in workspace.registry.manifests.values():
        if manifest.name not in workspace.settings and manifest.outside:
            with suppress(PluginBroken):
                find = load(manifest.name, manifest.outside)
                with blaming(manifest.name, "finding an item", where=manifest.outside):
                    if _recognises(find, key, workspace.environ):
                        return manifest
    return None


def _broken(workspace: Workspace) -> PluginBroken | None:
    """The error of a configured tracker, whose item may be meant."""
    return next(iter(workspace.broken.values()), None)


def _known(workspace: Workspace) -> str:
    manifests = workspace.registry.manifests
    return ", ".join(manifests[tracker].title for tracker in workspace.settings) or "none"


def _recognises(find: Callable[..., Any], key: str, environ: Mapping[str, str]) -> bool:
    try:
        return find(key, environ) is not None
    except UsageError:  # only its site is unknown
        return True
    except ConfigError:  # such as octo/widgets#0
        return False
