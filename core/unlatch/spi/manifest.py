"""The manifest: data about a tracker that unlatch reads before it loads the plugin."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

SPI_VERSION = 2


@dataclass(frozen=True, slots=True)
class LinkShape:
    """The keys of a tracker's links, or of its entries in syncedTo."""

    item: str  # of the item's id ("issue", "workItemId", "issueKey")
    url: str  # of its web address ("url", "issueUrl")
    number: bool = False  # whether the id is written as a number


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
    """A token from the environment."""

    token: str  # the variable that holds it
    scheme: Scheme
    user: str | None = None  # the variable that holds the user name, if the token needs one
    # Hosts that it is never sent to, trusted or not; "*.example.com" for subdomains.
    not_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandToken:
    """A token that the vendor's own program prints; `{host}` in `argv` is the token's host."""

    argv: tuple[str, ...]
    scheme: Scheme


@dataclass(frozen=True, slots=True)
class Option:
    """A flag of the commands that concerns one tracker's items."""

    name: str  # without the dashes ("allow-path"); no other plugin gives it another meaning
    help: str  # its effect, in one sentence
    kinds: tuple[str, ...] = ("reopen",)  # of "reopen", "close", "create" and "update"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Data about a tracker and its plugin."""

    name: str  # the plugin's, and the tracker's in files and commands ("github")
    title: str  # for people ("GitHub")
    noun: str  # the tracker's name for an item ("issue", "work item")
    link: LinkShape  # in metadata.json
    synced: LinkShape  # of an entry in syncedTo
    settings: str  # "module:Class" of the pydantic model of `[trackers.NAME]`; see `Settings`
    plugin: str  # "module:Class" of the `SyncPlugin`, called with the settings and a transport
    # The module of the SDK, and the requirement that installs it ("unlatch[github]").
    requires: tuple[str, str]
    capabilities: frozenset[Capability]
    # By priority; the keyring comes after the environment and before programs.
    tokens: tuple[EnvToken | CommandToken, ...]
    # Host names that a token may be sent to by default, "*.example.com" for subdomains.
    hosts: tuple[str, ...]
    label_problem: Callable[[str], str | None]  # describes why a label or tag is invalid, or None
    host_env: tuple[str, ...] = ()  # environment variables that name a further host, or its URL
    # Seconds in which a write may still take effect after its connection ended; delivery waits
    # that long before it reads the item.
    settle: float = 0.0
    parallel: int = 8  # the maximum number of items changed at the same time
    labels_match_case: bool = False  # whether labels that differ in case alone are different labels
    options: tuple[Option, ...] = ()
    # Readers ("module:function") of messages about items, by the name of their kind
    # ("github-event"). A reader turns the bytes into an `ItemEvent`, sends nothing, and raises
    # ValueError for any other message.
    events: Mapping[str, str] = field(default_factory=dict)
    example: str = ""  # its table in config.toml, as `unlatch init` proposes it
    # Its table for the address of the git remote `origin` or of an item; None if the address is not
    # this tracker's.
    from_remote: Callable[[str], str | None] | None = None
    # "module:function" for items outside of a project: with an item's address or key and the
    # environment, it returns the table of settings that know this item, or None if it is not this
    # tracker's. It raises UsageError if the key names no site.
    outside: str = ""
    spi_version: int = SPI_VERSION  # that the plugin was written for

    @property
    def slug(self) -> str:
        """The noun as part of a command: `create-work-item`."""
        return self.noun.replace(" ", "-")
