"""The manifest: data about a tracker that unlatch reads before it loads the plugin."""

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from unlatch.patterns import pattern
from unlatch.values import dataclass

# RFC 9110, section 5.6.2.
_HEADER_NAME = pattern(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
SPI_VERSION = 2


@dataclass(frozen=True, slots=True)
class LinkShape:
    """The keys of a tracker's links, or of its entries in syncedTo."""

    item: str  # of the item's id ("issue", "workItemId", "issueKey")
    url: str  # of its web address ("url", "issueUrl")
    number: bool = False  # whether the id is written as a number


class Capability(StrEnum):
    """The abilities of a plugin. Methods that need a missing one are not called."""

    # Items can be created in the configured target.
    CREATE = "create"
    # The title and the generated part of the body can be rewritten.
    UPDATE = "update"
    # Items can be closed, as completed and as abandoned.
    CLOSE = "close"
    # Items can be opened again, with a comment.
    REOPEN = "reopen"
    # Items can be read by commands that change nothing.
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
    # The past of an item can be read: comments with edits, and changes of state (`history verify`).
    HISTORY = "history"
    # Places may be renamed, and items are read under the former name of their place.
    RENAMES = "renames"


@dataclass(frozen=True, slots=True)
class Scheme:
    """The way a request carries a token: BEARER, BASIC, HEADER(name) or USER_NAME(password)."""

    name: str
    header: str = "Authorization"
    password: str = ""  # beside a token that is the user name

    # `Authorization: Bearer TOKEN`
    BEARER: ClassVar["Scheme"]
    # The token is the password of basic authentication, beside the user name if it has one.
    BASIC: ClassVar["Scheme"]

    @classmethod
    def HEADER(cls, name: str) -> "Scheme":  # noqa: N802  # named as the others
        """The token alone, in a header of the tracker's own ("X-Redmine-API-Key")."""
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"not the name of a header: {name!r}")
        return cls("header", name)

    @classmethod
    def USER_NAME(cls, password: str = "") -> "Scheme":  # noqa: N802  # named as the others
        """The token is the user name of basic authentication, beside a fixed password, or none."""
        return cls("user-name", password=password)


Scheme.BEARER = Scheme("bearer")
Scheme.BASIC = Scheme("basic")


@dataclass(frozen=True, slots=True)
class EnvToken:
    """A token from the environment."""

    token: str  # the variable that holds it
    scheme: Scheme
    # The variable that holds the user name, if the token needs one; it is shown, so no secret.
    user: str | None = None
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
    settings: str  # "module:Class" of the model or `Table` of `[trackers.NAME]`; see `Settings`
    plugin: str  # "module:Class" of the `SyncPlugin`, called with the settings and a transport
    # A module that is there only if the plugin's libraries are installed, such as its SDK, and the
    # requirement that installs them ("unlatch[github]"). unlatch itself needs `requests`.
    requires: tuple[str, str]
    capabilities: frozenset[Capability]
    # By priority; the keyring comes after the environment and before programs.
    tokens: tuple[EnvToken | CommandToken, ...]
    # Host names that a token may be sent to by default, "*.example.com" for subdomains.
    hosts: tuple[str, ...]
    # Describes why a label or tag is invalid, or returns None; required with LABELS.
    label_problem: Callable[[str], str | None] = lambda _label: None
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
    # Modules of libraries that the plugin imports parts of, or not at all: they run only when
    # something in them is used, which may save a command most of the time to load an SDK.
    deferred: tuple[str, ...] = ()
    spi_version: int = SPI_VERSION  # that the plugin was written for

    @property
    def slug(self) -> str:
        """The noun as part of a command: `create-work-item`."""
        return self.noun.replace(" ", "-")
