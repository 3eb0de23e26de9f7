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
    """The keys of a tracker's links, or of its entries in syncedTo.

    Args:
        item: of the item's id ("issue", "workItemId", "issueKey").
        url: of its web address ("url", "issueUrl").
        number: whether the id is written as a number.
    """

    item: str
    url: str
    number: bool = False


class Capability(StrEnum):
    """The abilities of a plugin. Methods that need a missing one are not called.

    CREATE: items can be created in the configured target.
    UPDATE: the title and the generated part of the body can be rewritten.
    CLOSE: items can be closed, as completed and as abandoned.
    REOPEN: items can be opened again, with a comment.
    STATUS: items can be read by commands that change nothing.
    LABELS: items have labels or tags; without it `add_labels` and `remove_labels` are always empty.
    RETRACT: our comments can be deleted, so that two clones that delivered at once converge.
    STATUS_OF_MANY: many items can be read in few requests.
    BATCH: many items can be changed by one request, each completely or not at all.
    LIST: the items of the configured target can be listed (`link --suggest`).
    EXAMINE: the rights of a credential can be determined without writing (`doctor --online`).
    APPROVE: the tracker can be asked whether it would accept a change (`--dry-run`).
    HISTORY: the past of an item can be read: comments with edits, and changes of state (`history
        verify`).
    BACKGROUND: the texts of many items, and the commits that closed them, can be read
        (`regressions`).
    COMMANDS: comments are told with the rights of their authors, and can be acknowledged, so that
        people can ask for changes in them.
    RENAMES: places may be renamed, and items are read under the former name of their place.
    """

    CREATE = "create"
    UPDATE = "update"
    CLOSE = "close"
    REOPEN = "reopen"
    STATUS = "status"
    LABELS = "labels"
    RETRACT = "retract"
    STATUS_OF_MANY = "status-of-many"
    BATCH = "batch"
    LIST = "list"
    EXAMINE = "examine"
    APPROVE = "approve"
    HISTORY = "history"
    BACKGROUND = "background"
    COMMANDS = "commands"
    RENAMES = "renames"


@dataclass(frozen=True, slots=True)
class Scheme:
    """The way a request carries a token: BEARER, BASIC, HEADER(name) or USER_NAME(password).

    BEARER: `Authorization: Bearer TOKEN`.
    BASIC: the password of basic authentication, beside the user name if it has one.

    Args:
        name: of the scheme.
        header: that carries the token.
        password: beside a token that is the user name.
    """

    name: str
    header: str = "Authorization"
    password: str = ""

    BEARER: ClassVar["Scheme"]
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
    """A token from the environment.

    Args:
        token: the variable that holds it.
        scheme: how requests carry it.
        user: the variable that holds the user name, if the token needs one; it is shown, so no
            secret.
        not_for: hosts that it is never sent to, trusted or not; "*.example.com" for subdomains.
    """

    token: str
    scheme: Scheme
    user: str | None = None
    not_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandToken:
    """A token that the vendor's own program prints; `{host}` in `argv` is the token's host.

    Args:
        argv: the program and its arguments.
        scheme: how requests carry it.
    """

    argv: tuple[str, ...]
    scheme: Scheme


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the commands that concerns one tracker's items.

    Args:
        name: without the dashes ("allow-path"); no other plugin gives it another meaning.
        help: its effect, in one sentence.
        kinds: of "reopen", "close", "create" and "update".
        metavar: the word for its value ("NAME"); empty for a flag.
    """

    name: str
    help: str
    kinds: tuple[str, ...] = ("reopen",)
    metavar: str = ""


# For manifests of trackers that can send fewer notifications.
NO_NOTIFY = Option(
    "no-notify",
    "Let trackers send fewer notifications of the changes, as far as they can.",
    kinds=("reopen", "close", "create", "update"),
)

# For manifests of trackers whose comments need not be for everybody who sees the item.
VISIBILITY = Option(
    "visibility",
    "Let only these see the comment: role:NAME, group:NAME, or internal (no customers).",
    kinds=("reopen", "close"),
    metavar="WHO",
)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Data about a tracker and its plugin.

    Args:
        name: the plugin's, and the tracker's in files and commands ("github").
        title: for people ("GitHub").
        noun: the tracker's name for an item ("issue", "work item").
        link: in metadata.json.
        synced: of an entry in syncedTo.
        settings: "module:Class" of the model or `Table` of `[trackers.NAME]`; see `Settings`.
        plugin: "module:Class" of the `SyncPlugin`, called with the settings and a transport.
        requires: a module that is there only if the plugin's libraries are installed, such as its
            SDK, and the requirement that installs them ("unlatch[github]"). unlatch itself needs
            `requests`.
        capabilities: the abilities of the plugin.
        tokens: by priority; the keyring comes after the environment and before programs.
        hosts: host names that a token may be sent to by default, "*.example.com" for subdomains.
        label_problem: describes why a label or tag is invalid, or returns None; required with
            LABELS.
        is_alone: whether the item at an address can only be changed alone, and belong to no
            increment, as a pull request.
        host_env: environment variables that name a further host, or its URL.
        secret_env: environment variables with other credentials, which the tracker's own tools
            read; workers do not get them, as those of `tokens`.
        settle: seconds in which a write may still take effect after its connection ended; delivery
            waits that long before it reads the item.
        parallel: the maximum number of items changed at the same time.
        labels_match_case: whether labels that differ in case alone are different labels.
        options: flags of the commands.
        events: readers ("module:function") of messages about items, by the name of their kind
            ("github-event"). A reader turns the bytes into an `ItemEvent`, sends nothing, and
            raises ValueError for any other message.
        example: the lines of its table in config.toml, as `unlatch init` proposes it.
        from_remote: its table for the address of the git remote `origin` or of an item; None if the
            address is not this tracker's.
        outside: "module:function" for items outside of a project: with an item's address or key and
            the environment, it returns the table of settings that know this item, or None if it is
            not this tracker's. It raises UsageError if the key names no site, or if the address is
            one of this tracker's that no command takes. Trackers whose items are numbered in a git
            repository know https://HOST/REPOSITORY#4, too.
        deferred: modules of libraries that the plugin imports parts of, or not at all: they run
            only when something in them is used, which may save a command most of the time to load
            an SDK.
        spi_version: that the plugin was written for.
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
    label_problem: Callable[[str], str | None] = lambda _label: None
    is_alone: Callable[[str], bool] = lambda _url: False
    host_env: tuple[str, ...] = ()
    secret_env: tuple[str, ...] = ()
    settle: float = 0.0
    parallel: int = 8
    labels_match_case: bool = False
    options: tuple[Option, ...] = ()
    events: Mapping[str, str] = field(default_factory=dict)
    example: str = ""
    from_remote: Callable[[str], str | None] | None = None
    outside: str = ""
    deferred: tuple[str, ...] = ()
    spi_version: int = SPI_VERSION

    @property
    def slug(self) -> str:
        """The noun as part of a command: `create-work-item`."""
        return self.noun.replace(" ", "-")
