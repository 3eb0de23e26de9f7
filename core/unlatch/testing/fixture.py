"""A plugin, found by its entry point, that uses the harness's server behind the proxy."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from unlatch.project.plugins.guard import check_results
from unlatch.project.plugins.loading import load_settings, open_plugin
from unlatch.project.registry import Registry
from unlatch.project.trackers import Trackers
from unlatch.spi import Capability, ItemRef, Manifest, Settings, SyncPlugin
from unlatch.transport import Transport, TransportOptions
from unlatch.transport.credentials import Credential, find_credential
from unlatch.transport.testing import SkippingClock
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.testing.harness import Harness
    from unlatch.testing.proxy import Proxy

CONNECT_SECONDS = 5.0
READ_SECONDS = 30.0
# Long enough for an answer from a busy machine, short enough for a test.
SHORT_SECONDS = 0.6


class Fixture:
    """A plugin under test.

    Args:
        harness: the server.
        proxy: the proxy in front of it.
        folder: an empty folder for projects and caches.
    """

    def __init__(self, harness: Harness, proxy: Proxy, folder: Path) -> None:
        self.harness = harness
        self.proxy = proxy
        self.folder = folder
        self.registry = Registry()

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest that the entry point names."""
        return self.registry.manifest(self.harness.tracker)

    @cached_property
    def table(self) -> dict[str, Any]:
        """The table of the tracker in the configuration, with the proxy's address."""
        return dict(self.harness.settings(self.proxy.url))

    @cached_property
    def settings(self) -> Settings:
        """The table, checked by the plugin's model; results of another type are refused."""
        settings: Settings = check_results(self.manifest.name, self._own_settings, Settings)
        return settings

    @cached_property
    def _own_settings(self) -> Settings:
        settings: Settings = load_settings(self.manifest).model_validate(self.table)
        return settings

    @cached_property
    def credential(self) -> Credential:
        """The credential from the harness's environment."""
        return self.find_credential(self.harness.environ())

    def find_credential(self, environ: Mapping[str, str]) -> Credential:
        """The credential in these variables of the harness."""
        found = find_credential(
            self.manifest.tokens,
            tracker=self.manifest.name,
            host="",
            env=environ,
            keyring_get=lambda _service, _key: None,
            run=lambda _argv: None,
        )
        if found is None:
            raise LookupError("the harness's variables hold none of the manifest's tokens")
        return found

    @cached_property
    def plugin(self) -> SyncPlugin:
        """The plugin, with a transport whose waits end at once."""
        return self.open()

    @cached_property
    def hasty_plugin(self) -> SyncPlugin:
        """The plugin, with a short timeout for answers."""
        return self.open(SHORT_SECONDS)

    def open(
        self, read_seconds: float = READ_SECONDS, *, credential: Credential | None = None
    ) -> SyncPlugin:
        """The plugin as another process would open it; results of another type are refused."""
        clock = SkippingClock()
        cache = self.folder / "cache"
        cache.mkdir(exist_ok=True)
        transport = Transport(
            self.manifest.name,
            origin=self.settings.base_url,
            credential=credential or self.credential,
            cache=cache,
            options=TransportOptions(
                timeouts=(CONNECT_SECONDS, read_seconds), clock=clock, sleep=clock.sleep
            ),
        )
        made = open_plugin(self.manifest, self._own_settings, transport)
        plugin: SyncPlugin = check_results(self.manifest.name, made, SyncPlugin)
        return plugin

    def can(self, capability: Capability) -> bool:
        """Whether the plugin declares a capability."""
        return capability in self.manifest.capabilities

    def labels(self, *names: str) -> tuple[str, ...]:
        """These labels, or none where the tracker has no labels."""
        return names if self.can(Capability.LABELS) else ()

    def ref(self, item: str) -> ItemRef:
        """The item with this id."""
        return self.settings.locate(item, None)

    def title(self) -> str:
        """A title that no other item has."""
        return f"In sync {new_ulid()}"

    def make(self, *, is_open: bool, labels: tuple[str, ...] = ()) -> ItemRef:
        """An item on the server."""
        made = self.harness.make(self.title(), is_open=is_open, labels=self.labels(*labels))
        return self.ref(made)


class FixtureTrackers(Trackers):
    """The trackers of a project, with the plugin of a fixture, and waits that end at once."""

    def __init__(self, workspace: Workspace, fixture: Fixture, plugin: SyncPlugin) -> None:
        super().__init__(workspace)
        self._fixture = fixture
        self._plugin = plugin

    def open(self, name: str) -> SyncPlugin:
        """The fixture's plugin."""
        return self._plugin

    def pause(self, name: str, seconds: float, why: str) -> None:
        """Wait only until the server has answered."""
        self._fixture.proxy.settle()

    def hold(self, name: str, seconds: float) -> bool:
        """Let no time pass; a wait for a rate limit is always allowed."""
        return True
