"""The trackers of a project: settings, trust and credential checked, then opened when used."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.project.registry import load_plugin
from unlatch.transport.options import DEFAULT_OPTIONS, TransportOptions, Wait
from unlatch.worklog.user_state import state_folder

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Link
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef, Settings, SyncPlugin
    from unlatch.transport import Transport

# Loading an SDK is work for the processor, of which Python has one: side by side all SDKs would be
# ready as late as the last, while one after the other the first tracker answers in the meantime.
_LOADING = threading.Lock()


class Trackers:
    """Plugins that are ready for requests, each opened once, on first use.

    Args:
        workspace: the project.
        options: how requests are sent.
    """

    def __init__(
        self,
        workspace: Workspace,
        options: TransportOptions = DEFAULT_OPTIONS,
    ) -> None:
        self._workspace = workspace
        self.registry = workspace.registry
        self._options = options
        self._open: dict[str, SyncPlugin] = {}
        self._transport_of: dict[str, Transport] = {}
        self._stopped = threading.Event()
        # One lock a tracker: looking for a credential may take its time.
        self._locks: dict[str, threading.Lock] = {}

    def settings(self, name: str) -> Settings:
        """The settings of one tracker.

        Raises:
            UsageError: `unknown-tracker` or `tracker-not-configured`.
            ConfigError: the configuration has mistakes.
        """
        manifest = self.registry.manifest(name)
        try:
            return self._workspace.settings[name]
        except KeyError:
            raise UsageError(
                "tracker-not-configured",
                f"{manifest.title} is not configured",
                where=str(self._workspace.layout.config),
                hint=f"add a table [trackers.{name}]; docs/configuration.md shows one",
            ) from None

    def locate(self, link: Link) -> ItemRef:
        """The item that a link means.

        Raises:
            UsageError: `target-not-allowed`, `profile-unknown`, or the tracker is not configured.
            ConfigError: the configuration does not say where the item is.
        """
        settings = self.settings(link.tracker)
        item = link.item if link.profile is None else self._in_profile(link, link.profile)
        ref = settings.locate(item, link.url)
        self.check_target(ref)
        return ref

    def _in_profile(self, link: Link, profile: str) -> str:
        """An item that its increment's files place in one of SpecWeave's profiles."""
        from unlatch.config.config import repositories_of_profiles  # noqa: PLC0415  (rarely needed)

        repositories = repositories_of_profiles(self._workspace.layout)
        if profile not in repositories:
            raise UsageError(
                "profile-unknown",
                f"{link.item} has no address, and its profile {profile!r} names no repository",
                hint="link it again by its address: unlatch link ID URL",
            )
        return f"{repositories[profile]}#{link.item}"

    def recognise(self, url: str) -> ItemRef:
        """The item that a pasted address means.

        Raises:
            UsageError: `url-unknown`, or `target-not-allowed`.
            ConfigError: the configuration has mistakes.
        """
        for settings in self._workspace.settings.values():
            ref = settings.recognise(url)
            if ref is not None:
                self.check_target(ref)
                return ref
        known = ", ".join(self._workspace.settings) or "none"
        raise UsageError(
            "url-unknown",
            f"no configured tracker has an item at this address (configured: {known})",
            where=url,
            hint="paste the address of an item; its tracker's web_url must match",
        )

    def check_target(self, ref: ItemRef) -> None:
        """Refuse an item outside the configured targets.

        Raises:
            UsageError: `target-not-allowed`.
        """
        if not self.settings(ref.tracker).allows(ref):
            raise UsageError(
                "target-not-allowed",
                f"{ref.target} is not among the configured targets of "
                f"{self.registry.manifest(ref.tracker).title}",
                where=ref.url,
                hint=f"if it should be, add it to [trackers.{ref.tracker}] in .unlatch/config.toml",
            )

    def open(self, name: str) -> SyncPlugin:
        """The plugin, with a transport that holds its credential.

        Raises:
            UnlatchError: not configured, not trusted, no credential, or its SDK is missing.
        """
        with self._locks.setdefault(name, threading.Lock()):
            if name not in self._open:
                self._open[name] = self._opened(name)
            return self._open[name]

    def _opened(self, name: str) -> SyncPlugin:
        from unlatch.transport import open_transport  # noqa: PLC0415  (requests is slow to load)

        manifest, settings = self.registry.manifest(name), self.settings(name)
        # Trust is checked in here, before a credential is even looked for.
        transport = open_transport(
            manifest,
            settings.base_url,
            env=self._workspace.environ,
            cache=state_folder(self._workspace.layout.root) / "cache" / name,
            user_hosts=self._workspace.user.trusted_hosts,
            options=self._options,
        )
        self._transport_of[name] = transport
        with _LOADING:
            plugin: SyncPlugin = load_plugin(manifest)(settings, transport)
        return plugin

    def pause(self, name: str, seconds: float, why: str) -> None:
        """Let a moment pass before a tracker is asked, and say so; an interruption ends it."""
        if self._options.on_wait is not None:
            self._options.on_wait(Wait(name, seconds, why))
        self._stopped.wait(seconds)

    def hold(self, name: str, seconds: float) -> bool:
        """Let the next request to a tracker wait so long; False if that is longer than allowed.

        Raises:
            UnlatchError: the tracker cannot be opened.
        """
        self.open(name)
        return self._transport_of[name].hold(seconds, "it asked to be left alone until then")

    def stop(self) -> None:
        """End every wait and send nothing more; for an interruption by the user."""
        self._stopped.set()
        for transport in self._transport_of.values():
            transport.stop()
