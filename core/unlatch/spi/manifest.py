"""The manifest: data about a tracker that unlatch reads before it loads the plugin."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


SPI_VERSION = 2


@dataclass(frozen=True, slots=True)
class LinkShape:
    """The keys of a tracker's links, or of its entries in syncedTo.

    Args:
        item: the key of the item's id ("issue", "workItemId", "issueKey").
        url: the key of the item's web address ("url", "issueUrl").
        number: whether the id is written as a number.
    """

    item: str
    url: str
    number: bool = False


class Capability(StrEnum):
    """The abilities of a plugin. Methods that need a missing one are not called."""

    CREATE = "create"
    UPDATE = "update"
    CLOSE = "close"
    REOPEN = "reopen"
    STATUS = "status"
    # Items have labels or tags; without it `add_labels` and `remove_labels` are always empty.
    LABELS = "labels"
    # Our comments can be deleted, so that two clones that delivered at once converge.
    RETRACT = "retract"
    # Many items can be read in few requests.
    STATUS_OF_MANY = "status-of-many"
    # Many items can be changed in few requests, each completely or not at all.
    BATCH = "batch"
    # The items of the configured target can be listed (`link --suggest`).
    LIST = "list"
    # The rights of a credential can be determined without writing (`doctor --online`).
    EXAMINE = "examine"
    # The tracker can be asked whether it would accept a change (`--dry-run`).
    APPROVE = "approve"


class Scheme(StrEnum):
    """The HTTP authentication scheme of a token."""

    BEARER = "bearer"
    BASIC = "basic"


@dataclass(frozen=True, slots=True)
class EnvToken:
    """A token from the environment.

    Args:
        token: the variable that holds it.
        user: the variable that holds the user name, if the token needs one.
        not_for: hosts that it is never sent to, trusted or not; "*.example.com" for subdomains.
    """

    token: str
    scheme: Scheme
    user: str | None = None
    not_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandToken:
    """A token that the vendor's own program prints; `{host}` in `argv` is the token's host."""

    argv: tuple[str, ...]
    scheme: Scheme


@dataclass(frozen=True, slots=True)
class Option:
    """A flag of the commands that concerns one tracker's items.

    Args:
        name: without the dashes ("allow-path"); no other plugin uses it with another meaning.
        help: its effect, in one sentence.
        kinds: the commands that take it ("reopen", "close", "create", "update").
    """

    name: str
    help: str
    kinds: tuple[str, ...] = ("reopen",)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Data about a tracker and its plugin.

    Args:
        name: the plugin's name, and the tracker's in files and commands ("github").
        title: its name for people ("GitHub").
        noun: the tracker's name for an item ("issue", "work item").
        link: the keys of its link block in metadata.json.
        synced: the keys of its entries in syncedTo.
        settings: "module:Class" of the pydantic model of `[trackers.NAME]`; see `Settings`.
        plugin: "module:Class" of the `SyncPlugin`, called with the settings and a transport.
        requires: the module of the SDK, and the requirement that installs it ("unlatch[github]").
        capabilities: the plugin's abilities.
        tokens: the sources of its token, by priority; the keyring comes after the environment and
            before programs.
        hosts: host names that a token may be sent to by default, "*.example.com" for subdomains.
        host_env: environment variables that name a further host, or its URL.
        label_problem: describes why a label or tag is invalid, or returns None.
        settle: seconds in which a write may still take effect after its connection ended; delivery
            waits that long before it reads the item.
        parallel: the maximum number of items changed at the same time.
        labels_match_case: whether labels that differ in case alone are different labels.
        options: flags of commands for this tracker's items.
        events: the readers ("module:function") of messages about items, by the name of their kind
            ("github-event"). A reader turns the bytes into an `ItemEvent`, sends nothing, and
            raises ValueError for any other message.
        example: its table in config.toml, as `unlatch init` proposes it.
        from_remote: its table for a project whose git remote `origin` has this address; None if
            the address is not this tracker's.
        spi_version: the version of this interface that the plugin was written for.
    """

    name: str
    title: str
    noun: str
    link: LinkShape
    synced: LinkShape
    settings: str
    plugin: str
    requires: tuple[str, str]
    capabilities: frozenset[Capability]
    tokens: tuple[EnvToken | CommandToken, ...]
    hosts: tuple[str, ...]
    label_problem: Callable[[str], str | None]
    host_env: tuple[str, ...] = ()
    settle: float = 0.0
    parallel: int = 8
    labels_match_case: bool = False
    options: tuple[Option, ...] = ()
    events: Mapping[str, str] = field(default_factory=dict)
    example: str = ""
    from_remote: Callable[[str], str | None] | None = None
    spi_version: int = SPI_VERSION

    @property
    def slug(self) -> str:
        """The noun as part of a command: `create-work-item`."""
        return self.noun.replace(" ", "-")
