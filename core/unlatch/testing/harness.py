"""The harness of a plugin's tests: a working server, a person's actions there, and the plugin."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.testing.proxy import Proxy


class Harness(ABC):
    """A working server, with items that are made and read without the plugin.

    Items are named by their ids, as in a link ("4", "SCRUM-28"). All methods use the server
    directly, because the tests compare the plugin with it.

    Attributes:
        tracker: the plugin's name, by which its entry point is found.
        server: the address of the server; the plugin gets the address of a proxy for it.
        many_comments: more comments than the plugin reads at once.
        many_items: more items than the plugin reads or lists at once.
        missing: the id of an item that does not exist.
        abandons_deliberately: whether this server has a state for abandoned work, which is that of
            `close_deliberately`.
    """

    tracker: str
    server: str
    many_comments: int = 120
    many_items: int = 120
    missing: str = "987654321"
    abandons_deliberately: bool = True

    @abstractmethod
    def settings(self, server: str) -> Mapping[str, Any]:
        """The table `[trackers.NAME]`, with `server` as the server's address."""

    def elsewhere(self, server: str) -> str:
        """The web address of an item in a place that `settings(server)` does not name; optional.

        Another place on the same host, where the tracker has several: another repository or
        project. The item need not exist.
        """
        raise NotImplementedError

    @abstractmethod
    def environ(self) -> Mapping[str, str]:
        """The environment variables that hold the credential."""

    @abstractmethod
    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        """Make an item in the configured target; returns its id.

        Args:
            labels: of "reopened", "completed", "kept" and "mine"; none for a plugin that does not
                declare LABELS.
        """

    @abstractmethod
    def is_open(self, item: str) -> bool:
        """Whether an item is open."""

    @abstractmethod
    def comments(self, item: str) -> Sequence[str]:
        """The texts of its comments, in the tracker's markup."""

    @abstractmethod
    def add_comments(self, item: str, texts: Sequence[str]) -> None:
        """Add comments as a person, without changing the item's state."""

    def add_comment_of_a_stranger(self, item: str, text: str) -> None:
        """Add a comment of a person who may comment and cannot change items; optional.

        For trackers on which everybody may comment.
        """
        raise NotImplementedError

    def add_item_of_a_stranger(self, title: str, body: str) -> str:
        """Make an item as a person who may make items and cannot change others'; optional.

        For trackers on which everybody may make items. Returns its id.
        """
        raise NotImplementedError

    def add_comment_of_a_member(self, item: str, text: str) -> None:
        """Add a comment of another person who may change items; optional."""
        raise NotImplementedError

    def add_restricted_comment(self, item: str, text: str) -> None:
        """Add a comment of another person that not everybody may see; optional.

        For a plugin that declares RETRACT.
        """
        raise NotImplementedError

    def edit_comments(self, item: str, old: str, new: str) -> None:
        """Replace a word in its comments, as a person; optional.

        For trackers where comments can be edited.
        """
        raise NotImplementedError

    def assign(self, item: str) -> str:
        """Assign it to a person who is not that of `environ`; optional.

        Returns the person's name as the tracker shows it for an assignee.
        """
        raise NotImplementedError

    def close_as_a_person(self, item: str) -> str:
        """Close it as a person who is not that of `environ`; optional.

        For trackers that show who changed a state. Returns the person's name as shown there.
        """
        raise NotImplementedError

    def read_only_environ(self) -> Mapping[str, str]:
        """The variables of a credential that may read items and not change them; optional.

        Its account may have the rights that everybody has, such as to comment.
        """
        raise NotImplementedError

    def labels(self, item: str) -> Collection[str]:
        """The labels or tags of an item; required for LABELS."""
        raise NotImplementedError

    def add_label(self, item: str, label: str) -> None:
        """Add a label as a person; required for LABELS."""
        raise NotImplementedError

    def find_by_title(self, title: str) -> Collection[str]:
        """The ids of the items with this title; required for CREATE."""
        raise NotImplementedError

    def body(self, item: str) -> str:
        """The text of its body, without or with markup; required for CREATE and UPDATE."""
        raise NotImplementedError

    def write_around_body(self, item: str, before: str, after: str) -> None:
        """Write a paragraph before its body and one after it, as a person; required for UPDATE."""
        raise NotImplementedError

    def mentioned(self, item: str) -> Collection[str]:
        """The names of people whom its comments notify; optional.

        For trackers that read @names from text.
        """
        raise NotImplementedError

    def tick(self, item: str, words: str) -> None:
        """Tick the check box in front of these words in its body, as a person; optional.

        Required for a plugin that reads check boxes (`RemoteItem.kept`).
        """
        raise NotImplementedError

    def close_by_commit(self, item: str, commit: str) -> None:
        """Close it by a commit with this id, as hosts of repositories do; optional."""
        raise NotImplementedError

    def close_deliberately(self, item: str) -> None:
        """Close it in a way that must not be undone unasked; optional."""
        raise NotImplementedError

    def ignore_next(self) -> None:
        """Let the server answer the next request with success and the unchanged item; optional."""
        raise NotImplementedError


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
        credential = find_credential(
            self.manifest.tokens,
            tracker=self.manifest.name,
            host="",
            env=environ,
            keyring_get=lambda _service, _key: None,
            run=lambda _argv: None,
        )
        if credential is None:
            raise LookupError("the harness's variables hold none of the manifest's tokens")
        return credential

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
        opened = open_plugin(self.manifest, self._own_settings, transport)
        plugin: SyncPlugin = check_results(self.manifest.name, opened, SyncPlugin)
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
        item_id = self.harness.make(self.title(), is_open=is_open, labels=self.labels(*labels))
        return self.ref(item_id)


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
