"""The trackers of a project, opened when they are needed, and the order to load them in."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.records.links import identity
from unlatch.project.deferred import defer
from unlatch.project.plugins.loading import open_plugin
from unlatch.project.unknown_item import (
    FormerNames,
    find_unconfigured,
    not_configured,
    of_no_increment,
    unknown_address,
    unknown_name,
)
from unlatch.spi import Capability
from unlatch.transport.breaker import DEFAULT_OPTIONS, TransportOptions, Wait
from unlatch.transport.request_context import measure
from unlatch.worklog.disk.user_files import requests_folder, state_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.increments.model.link import Link
    from unlatch.project.allowed_targets import LimitedSettings
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef, Settings, SyncPlugin
    from unlatch.transport import Transport


# Seconds; the one before may look for a credential meanwhile, which starts a program.
_LONGEST = 2.0


class LoadOrder:
    """Lets a tracker load its SDK when the tracker before it has sent its first request.

    Python imports in one thread at a time. If all SDKs load together, all first requests leave
    late; in sequence, each tracker answers while the next SDK loads.
    """

    def __init__(self, names: Sequence[str] = (), *, longest: float = _LONGEST) -> None:
        self._longest = longest
        self._ended = {name: threading.Event() for name in names}
        self._before = {name: self._ended[before] for before, name in pairwise(names)}

    def wait(self, name: str) -> None:
        """Wait for the turn of a tracker, at most `longest` seconds."""
        if name in self._before:
            self._before[name].wait(self._longest)

    def end(self, name: str) -> None:
        """End the turn of a tracker that has sent a request, or will send none."""
        if name in self._ended:
            self._ended[name].set()


# Imports run one at a time anyway.
_LOADING = threading.Lock()
_COUNTING = threading.Lock()


class Trackers:
    """Plugins that are ready for requests, each opened on first use.

    All methods raise ConfigError for mistakes in the configuration.
    """

    def __init__(self, workspace: Workspace, options: TransportOptions = DEFAULT_OPTIONS) -> None:
        # requests imports it for answers that do not name their encoding.
        defer(("charset_normalizer",))
        self._workspace = workspace
        self.registry = workspace.registry
        self._options = options
        self._open: dict[str, SyncPlugin] = {}
        self._transport_of: dict[str, Transport] = {}
        self.former_names = FormerNames(self.registry, self.open)
        self._planning: Counter[tuple[str, str]] = Counter()
        self._stopped = threading.Event()
        self._order = LoadOrder()
        # One lock per tracker: finding a credential may take long.
        self._locks: dict[str, threading.Lock] = {}

    @contextmanager
    def planning(self, link: Link) -> Iterator[None]:
        """Count the requests in the block for what will be delivered to an item."""
        with measure() as meter:
            try:
                yield
            finally:
                with _COUNTING:
                    self._planning[identity(link)] += meter.requests

    def take_planning(self, link: Link) -> int:
        """The number of requests that planned what is delivered to an item now; each once."""
        with _COUNTING:
            return self._planning.pop(identity(link), 0)

    def settings(self, name: str) -> Settings:
        """The settings of one tracker.

        UsageError: `unknown-tracker` or `tracker-not-configured`. PluginBroken: its plugin cannot
        be used.
        """
        manifest = self.registry.manifest(name)
        if name in self._workspace.settings:
            return self._workspace.settings[name]
        if name in self._workspace.broken:
            raise self._workspace.broken[name]
        raise not_configured(self._workspace, manifest)

    def locate(self, link: Link) -> ItemRef:
        """The item of a link; ConfigError if the configuration does not define its place.

        A link with the former name of a configured target costs a request.

        UsageError: `target-not-allowed`, `profile-unknown`, or the tracker is not configured.
        """
        ref = self.place(link)
        self.check_target(ref, ask_former=True)
        return ref

    def place(self, link: Link) -> ItemRef:
        """The item of a link, in a configured target or not; ConfigError: its place is unknown."""
        settings = self.settings(link.tracker)
        is_profile = link.target is not None and link.name == link.item and link.url is None
        return settings.locate(self._in_profile(link) if is_profile else link.name, link.url)

    def _in_profile(self, link: Link) -> str:
        from unlatch.config.other_tools import repositories_at  # noqa: PLC0415  (rarely needed)

        repository = repositories_at(self._workspace.paths.root).get(link.target or "")
        if repository is None:
            message = (
                f"{link.item} has no address, and its profile {link.target!r} names no repository"
            )
            hint = "link it again by its address: unlatch link ID URL"
            raise UsageError("profile-unknown", message, hint=hint)
        return f"{repository}#{link.item}"

    def item(self, word: str, *, ask_former: bool = False, alone: bool = False) -> ItemRef:
        """The item with an address or a name; UsageError: it is none of a configured tracker."""
        word = " ".join(word.split())
        if "://" in word:
            return self.recognise(word, ask_former=ask_former, alone=alone)
        return self.named(word, ask_former=ask_former)

    def recognise(self, url: str, *, ask_former: bool = False, alone: bool = False) -> ItemRef:
        """The item at a pasted address; UsageError `url-unknown` or `target-not-allowed`.

        Args:
            alone: also one that no increment can have.

        PluginBroken: no tracker knows it, and a plugin failed to look at it.
        """
        refs, failed = self._workspace.recognise(url)
        if ref := next(iter(refs.values()), None):
            manifest = self.registry.manifest(ref.tracker)
            if not alone and manifest.is_alone(ref.url):
                raise of_no_increment(manifest, ref)
            self.check_target(ref, ask_former=ask_former)
            return ref
        raise unknown_address(self._workspace, url, failed)

    def named(self, key: str, *, ask_former: bool = False) -> ItemRef:
        """The item with a name such as octo/widgets#4, fabrikam/widgets 101 or SCRUM-28.

        UsageError: `unknown-item` for any other word, also a number alone; `target-not-allowed`;
        `tracker-not-configured`.
        """
        every = [
            ref for settings in self._workspace.settings.values() if (ref := _named(settings, key))
        ]
        # "octo/widgets 4" can be an issue of GitHub, too, if nothing has just this name.
        exact = [ref for ref in every if self._name(ref) == key.casefold()]
        candidates = exact or every
        allowed = [ref for ref in candidates if self.settings(ref.tracker).allows(ref)]
        if len(allowed) == 1:
            return allowed[0]
        if not exact and (other := find_unconfigured(self._workspace, key)):
            raise not_configured(self._workspace, other)
        if candidates and not allowed:
            self.check_target(candidates[0], ask_former=ask_former)
            return candidates[0]
        raise unknown_name(self._workspace, key)

    def _name(self, ref: ItemRef) -> str:
        return self.settings(ref.tracker).name(ref).casefold()

    def allows(self, ref: ItemRef) -> bool:
        """Whether an item is in a configured target.

        Outside of a project none are configured: people name each item, and agree to its moves.
        """
        if self._workspace.tables is not None and self._workspace.allowed_targets is None:
            return True
        return self.settings(ref.tracker).allows(ref)

    def check_target(self, ref: ItemRef, *, ask_former: bool = False) -> None:
        """Refuse an item outside the configured targets (UsageError `target-not-allowed`)."""
        if not self.allows(ref) and not (ask_former and self._has_allowed_name(ref)):
            if (allowed := self._workspace.allowed_targets) and not self._may_reach(ref):
                raise allowed.refused(ref.target, ref.url)
            title = self.registry.manifest(ref.tracker).title
            message = f"{ref.target} is not among the configured targets of {title}"
            hint = (
                "if it should be, or is the former name of one, add it to "
                f"[trackers.{ref.tracker}] in .unlatch/config.toml"
            )
            raise UsageError("target-not-allowed", message, where=ref.url, hint=hint)

    def _has_allowed_name(self, ref: ItemRef) -> bool:
        """Whether the target has the former name of a configured one."""
        present = self.former_names.present(ref)
        return present is not None and self._may_reach(replace(ref, target=present))

    def _may_reach(self, ref: ItemRef) -> bool:
        """Whether a fleet allows a target; everything else does."""
        settings: Any = self._workspace.own_settings[ref.tracker]
        return self._workspace.allowed_targets is None or settings.may_reach(ref.target)

    def check_trust(self, name: str) -> None:
        """Check that a token may be sent to a tracker, before one is looked for.

        UnlatchError: `host-untrusted`, or its plugin cannot be loaded.
        """
        self._check_host(name, self.settings(name).base_url)

    def web_address(self, ref: ItemRef) -> str:
        """The address of an item for a browser; UnlatchError: its host is not trusted.

        A file in the repository must not lead people to a page that looks like their tracker's.
        """
        self._check_host(ref.tracker, ref.url)
        return ref.url

    def _check_host(self, name: str, url: str) -> None:
        from unlatch.transport.trust import check_origin  # noqa: PLC0415  (rarely needed)

        check_origin(url, self.registry.manifest(name), self._workspace.trusted_hosts)

    def open(self, name: str) -> SyncPlugin:
        """The plugin, with a transport that holds its credential.

        UnlatchError: not configured, not trusted, no credential, or its SDK is missing.
        PluginBroken: the plugin cannot be used.
        """
        with self._locks.setdefault(name, threading.Lock()):
            if name not in self._open:
                self._open[name] = self._load(name)
            return self._open[name]

    def load_in_order(self, names: Iterable[str]) -> None:
        """Let these trackers load in sequence when they are opened; `end_turn` has to follow.

        Those that take many items in one request come last: they have the least to wait for.
        """
        manifests = self.registry.manifests
        chosen = [name for name in dict.fromkeys(names) if name in manifests.keys() - self._open]
        chosen.sort(key=lambda name: Capability.BATCH in manifests[name].capabilities)
        self._order = LoadOrder(chosen)

    def end_turn(self, name: str) -> None:
        """Let the next tracker load: this one has sent a request, or will send none."""
        self._order.end(name)

    def _load(self, name: str) -> SyncPlugin:
        from unlatch.transport import open_transport  # noqa: PLC0415  (requests is slow to load)

        manifest, settings = self.registry.manifest(name), self.settings(name)
        # This checks trust before it looks for a credential.
        transport = open_transport(
            manifest,
            settings.base_url,
            env=self._workspace.environ,
            cache=state_folder(self._workspace.paths.root) / "cache" / name,
            trusted=self._workspace.trusted_hosts,
            options=replace(
                self._options,
                deadline=self._workspace.config.request_timeout,
                on_request=partial(self.end_turn, name),
            ),
            state=requests_folder(),
        )
        self._transport_of[name] = transport
        self._order.wait(name)
        with _LOADING:
            is_own, settings = self.registry.is_own(name), self._workspace.own_settings[name]
            plugin = open_plugin(manifest, settings, transport, is_own=is_own)
            if self._workspace.allowed_targets:
                from unlatch.project.allowed_targets import limit_plugin  # noqa: PLC0415  (of a fleet)

                plugin = limit_plugin(plugin, cast("LimitedSettings", settings))
            if is_own:
                return plugin
            from unlatch.project.plugins.guard import guard_plugin  # noqa: PLC0415  (slow)

            return guard_plugin(manifest, plugin)

    def can_pause(self, seconds: float) -> bool:
        """Whether a wait of so many seconds is allowed (`--max-wait`)."""
        return seconds <= self._options.max_wait

    def pause(self, name: str, seconds: float, why: str) -> None:
        """Wait before a request to a tracker, and report it; an interruption ends the wait."""
        if command := self._options.command:
            seconds = max(0.0, min(seconds, command.ends - self._options.clock()))
        if self._options.on_wait is not None:
            self._options.on_wait(Wait(name, seconds, why))
        (self._options.sleep or self._stopped.wait)(seconds)

    def check_open(self, name: str) -> None:
        """Raise the error with which this command sends nothing more to a tracker, if so."""
        if transport := self._transport_of.get(name):
            transport.check_open()
        elif self._options.command is not None:
            self._options.command.check_time()

    def hold(self, name: str, seconds: float) -> bool:
        """Delay the next request to a tracker.

        Raises:
            False: if too long. UnlatchError: it cannot be opened.
        """
        self.open(name)
        return self._transport_of[name].hold(seconds, "it allows no requests until then")

    def stop(self) -> None:
        """End every wait and send nothing more; for an interruption by the user."""
        self._stopped.set()
        for transport in self._transport_of.values():
            transport.stop()


def _named(settings: Settings, key: str) -> ItemRef | None:
    """The item with this whole name, if the settings can tell its place."""
    item = key.replace(" ", "#")
    with suppress(UnlatchError):
        ref = settings.locate(item, None)
        if settings.name(ref).replace(" ", "#").casefold() == item.casefold():
            return ref
    return None
