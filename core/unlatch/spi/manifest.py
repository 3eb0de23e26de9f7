"""What unlatch has to know of a tracker before it loads the plugin: data, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


SPI_VERSION = 2


@dataclass(frozen=True, slots=True)
class LinkShape:
    """The keys under which a tracker's links, or its entries in syncedTo, are written.

    Args:
        item: the key of the item's own id ("issue", "workItemId", "issueKey").
        url: the key of the item's web address ("url", "issueUrl").
        number: whether the id is written as a number.
    """

    item: str
    url: str
    number: bool = False


class Capability(StrEnum):
    """What a plugin can do. What it does not declare is not asked of it."""

    CREATE = "create"
    UPDATE = "update"
    CLOSE = "close"
    REOPEN = "reopen"
    STATUS = "status"
    # Items have labels or tags; without it `add_labels` and `remove_labels` are always empty.
    LABELS = "labels"
    # A comment of ours can be deleted again (two clones that delivered at once converge by it).
    RETRACT = "retract"
    # Many items can be read in few requests.
    STATUS_OF_MANY = "status-of-many"
    # Many items can be changed in few requests, each as a whole or not at all.
    BATCH = "batch"
    # The items of the configured target can be listed (`link --suggest`).
    LIST = "list"
    # What a credential may do can be found out without writing anything (`doctor --online`).
    EXAMINE = "examine"
    # The tracker itself can be asked whether it would take a change (`--dry-run`).
    APPROVE = "approve"


class Scheme(StrEnum):
    """How a token is sent."""

    BEARER = "bearer"
    BASIC = "basic"


@dataclass(frozen=True, slots=True)
class EnvToken:
    """A token from the environment.

    Args:
        token: the variable that holds it.
        scheme: how it is sent.
        user: the variable that holds the user name that goes with it, if one does.
        not_for: hosts that it is never sent to, trusted or not; "*.example.com" for subdomains.
    """

    token: str
    scheme: Scheme
    user: str | None = None
    not_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandToken:
    """A token that the vendor's own program prints.

    Args:
        argv: program and arguments; `{host}` stands for the host that the token is for.
        scheme: how it is sent.
    """

    argv: tuple[str, ...]
    scheme: Scheme


@dataclass(frozen=True, slots=True)
class Option:
    """Something that one tracker's items may be asked for, as a flag of the commands.

    Args:
        name: as it is typed, without the dashes ("allow-path"), the same in no other plugin's
            manifest with another meaning.
        help: what it does, in one sentence.
        kinds: the commands that take it ("reopen", "close", "create", "update").
    """

    name: str
    help: str
    kinds: tuple[str, ...] = ("reopen",)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What unlatch has to know of a tracker before it loads the plugin.

    Args:
        name: the plugin's name, and the tracker's in files and commands ("github").
        title: its name for people ("GitHub").
        noun: what an item is called there ("issue", "work item").
        link: the keys of its link block in metadata.json.
        synced: the keys of its entries in syncedTo.
        settings: "module:Class" of the pydantic model of `[trackers.NAME]`; see `Settings`.
        plugin: "module:Class" of the `SyncPlugin`, called with the settings and a transport.
        requires: the module of the SDK, and the requirement that installs it
            ("unlatch[github]").
        capabilities: what the plugin can do.
        tokens: where its token may come from, first match first; the keyring is asked after the
            environment and before programs.
        hosts: host names that a token may be sent to by default, "*.example.com" for subdomains.
        host_env: environment variables that name a further host, or its URL.
        label_problem: what is wrong with a label or tag, or None.
        settle: seconds that a write may still take effect after its connection ended; so long is
            waited before an item is asked whether it did.
        parallel: how many of its items are changed at the same time, at most.
        labels_match_case: whether labels that differ in case alone are different labels.
        options: flags that commands take for this tracker's items.
        events: the kinds of messages about items that can be read, by name ("github-event"):
            "module:function" of what reads one, from its bytes to an `ItemEvent`. It sends nothing,
            believes nothing, and raises ValueError for what is no such message.
        example: its table in config.toml, as `unlatch init` proposes it.
        from_remote: its table for a project whose git remote `origin` is this address; None if
            the address is not one of its own.
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
        """The noun as commands spell it: `create-work-item`."""
        return self.noun.replace(" ", "-")
