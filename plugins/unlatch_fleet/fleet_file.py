"""fleet.toml: the repositories of a fleet, and the names of the places of their tokens.

It lies outside of synced repositories. All mistakes are reported at once, each with its line.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from unlatch.config.value_types import AbsolutePath, VariableName
from unlatch.errors import MistakesError, UsageError
from unlatch.patterns import pattern
from unlatch.spi.validation import validation_message
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import read_user_file
from unlatch.worklog.text.parsing import load_toml
from unlatch_fleet.file_lines import FileLines
from unlatch_fleet.repository_address import Address, read_address

Model = TypeVar("Model", bound=BaseModel)

# Of a repository that names none.
DEFAULT_GROUP = "default"
# Bytes; a thousand repositories have a hundred thousand.
_LARGEST = 1 << 26
_PLACES = ("env:", "file:", "keyring:")
_SPAN = pattern(r"([1-9][0-9]{0,5})(m|h|d)")
_SECONDS = {"m": 60, "h": 3600, "d": 86400}
_BRANCH = pattern(
    r"(?!-)(?!.*(?:\.\.|@\{|//|[\s~^:?*\[\\\x00-\x1f\x7f]))[^/].*(?<![./])(?<!\.lock)"
)


def _url(value: str) -> str:
    read_address(value)
    return value


def _branch(value: str) -> str:
    if not _BRANCH.fullmatch(value):
        raise ValueError(f"{value!r} is not the name of a branch")
    return value


def _inside(value: str) -> str:
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or ".git" in path.parts:
        raise ValueError(f"{value!r} is not a folder inside the repository")
    return value


def _span(value: str) -> str:
    if not _SPAN.fullmatch(value):
        raise ValueError(f"{value!r} is not a time such as 30m, 1h or 1d")
    return value


def _target(value: str) -> str:
    if "/" not in value.strip("/"):
        raise ValueError(f"{value!r} needs its host: write it as HOST/{value}")
    return value


def _secret_place(value: str) -> str:
    # The value is not repeated: it may be the token.
    kind = next((kind for kind in _PLACES if value.startswith(kind)), None)
    if kind is None or not (rest := value.removeprefix(kind)):
        raise ValueError("expected env:NAME, file:/PATH or keyring:SERVICE/USER, not the token")
    if (kind == "file:" and not rest.startswith("/")) or (kind == "keyring:" and "/" not in rest):
        raise ValueError("expected file:/PATH with an absolute path, or keyring:SERVICE/USER")
    return value


_Word = Annotated[str, Field(min_length=1)]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
# The place of a secret on this machine; `unlatch_fleet.tokens.read_secret` reads it.
SecretPlace = Annotated[str, AfterValidator(_secret_place)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class App(_Model):
    """A GitHub App, whose installation tokens are made on the node."""

    id: Annotated[str | int, Field(description="Its id, or client id")]
    installation: Annotated[int, Field(ge=1, description="The id of its installation")]
    key: Annotated[
        AbsolutePath,
        Field(description="Absolute path of its private key, which its owner alone can read"),
    ]
    api_url: Annotated[
        str, Field(description="Address for requests; https://HOST/api/v3 for Enterprise Server")
    ] = "https://api.github.com"
    variable: Annotated[
        VariableName, Field(description="Variable in which unlatch gets the token")
    ] = "GITHUB_TOKEN"


class Group(_Model):
    """Where this machine has the tokens of a group of repositories."""

    variables: Annotated[
        dict[VariableName, SecretPlace],
        Field(
            description="Variables of unlatch (GITHUB_TOKEN) with the place of each value: "
            "env:NAME, file:/PATH or keyring:SERVICE/USER"
        ),
    ] = {}
    app: Annotated[App | None, Field(description="A GitHub App in place of a token")] = None
    git: Annotated[
        VariableName | None,
        Field(
            description="Variable with the token for git over https; by default that of the app, "
            "or none: git then asks the user's credential helpers"
        ),
    ] = None
    trusted_hosts: Annotated[
        tuple[str, ...],
        Field(description="Hosts that the tokens may be sent to, as TRACKER=HOST"),
    ] = ()


class Webhook(_Model):
    """Messages of a tracker to `unlatch fleet serve`, at /webhooks/NAME."""

    tracker: Annotated[_Word, Field(description="Tracker that sends it")]
    secret: Annotated[
        SecretPlace,
        Field(description="Place of its secret: env:NAME, file:/PATH or keyring:SERVICE/USER"),
    ]
    proof: Annotated[
        Literal["signature", "password", "path"],
        Field(
            description="How the sender shows the secret: it signs the body with it (GitHub, "
            "Jira), sends it as the password (Azure DevOps), or as the end of the path"
        ),
    ] = "signature"

    @model_validator(mode="after")
    def _signs(self) -> Self:
        if self.proof == "signature" and self.tracker not in ("github", "jira"):
            raise ValueError(f"{self.tracker} signs nothing: set proof = 'password' or 'path'")
        return self


class Entry(_Model):
    """A repository."""

    url: Annotated[
        str,
        AfterValidator(_url),
        Field(description="OWNER/NAME on github.com, a git URL, or an absolute path"),
    ]
    branch: Annotated[
        Annotated[str, AfterValidator(_branch)] | None,
        Field(description="Branch to sync; by default the repository's own"),
    ] = None
    root: Annotated[
        str, AfterValidator(_inside), Field(description="Folder of the project inside of it")
    ] = "."
    group: Annotated[_Word, Field(description="Name of the table in `groups`")] = DEFAULT_GROUP
    every: Annotated[
        str, AfterValidator(_span), Field(description="Time between two syncs without an event")
    ] = "1h"
    targets: Annotated[
        dict[str, tuple[Annotated[str, AfterValidator(_target)], ...]],
        Field(
            description="Targets that its files may name, by tracker: {jira = "
            "['acme.atlassian.net/SCRUM'], ado = ['fabrikam/widgets']}. A name without a host "
            "is one on github.com, dev.azure.com or a host of `trusted_hosts`. A repository on "
            "github.com has its own issues by default"
        ),
    ] = {}

    @property
    def repository(self) -> "Repository":
        number, unit = self.every[:-1], self.every[-1]
        rest = self.branch, self.root, self.group, int(number) * _SECONDS[unit], self.targets
        return Repository(read_address(self.url), *rest)


class FleetFile(_Model):
    """The repositories of a fleet."""

    repositories: Annotated[tuple[Entry, ...], Field(description="One table for each repository")]
    groups: Annotated[
        dict[_Word, Group],
        Field(
            description="Places of tokens on this machine, by the names of groups. Without a table "
            "`default`, its repositories use the variables of the trackers"
        ),
    ] = {}
    webhooks: Annotated[
        dict[_Name, Webhook], Field(description="Webhooks, by the name in their path")
    ] = {}
    events_share: Annotated[
        float,
        Field(ge=0, le=0.9, description="Share of each rate limit that is kept for events"),
    ] = 0.2


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of the fleet.

    Args:
        address: for git, and its key, which names it everywhere.
        branch: None for the repository's own.
        root: the folder of the project inside of it.
        every: seconds between two syncs without an event.
        targets: those that fleet.toml names, by tracker.
    """

    address: Address
    branch: str | None
    root: str
    group: str
    every: int
    targets: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Fleet:
    """The content of fleet.toml.

    Args:
        repeated: repositories that are listed twice alike, with their lines, in words.
    """

    repositories: tuple[Repository, ...]
    groups: Mapping[str, Group]
    webhooks: Mapping[str, Webhook]
    events_share: float
    repeated: tuple[str, ...]


def read_fleet(path: Path, trackers: Collection[str]) -> Fleet:
    """Read fleet.toml.

    Args:
        trackers: the names of the installed ones.

    Raises:
        UsageError: `fleet-unreadable`.
        MistakesError: `fleet-invalid`: all mistakes, each with its line.
    """
    try:
        text = read_user_file(path, at_most=_LARGEST).decode("utf-8-sig")
        raw = load_toml(text)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message, hint = f"{path.name} cannot be read: {why}", "write it as docs/fleet.md shows"
        raise UsageError("fleet-unreadable", message, where=str(path), hint=hint) from error
    reading = _Reading(text, trackers)
    fleet = reading.read(raw)
    if fleet is None or reading.problems:
        lines = (f"line {line}: {problem}" for line, problem in sorted(reading.problems))
        message, hint = (
            f"{path.name} has mistakes",
            "change these lines, then run the command again",
        )
        problems = tuple(lines)
        raise MistakesError("fleet-invalid", message, where=str(path), hint=hint, problems=problems)
    return fleet


class _Reading:
    """One reading of the file, which collects its mistakes with their lines."""

    def __init__(self, text: str, trackers: Collection[str]) -> None:
        self._lines = FileLines(text)
        self._trackers = trackers
        self.problems: list[tuple[int, str]] = []

    def read(self, raw: Mapping[str, Any]) -> Fleet | None:
        given = raw.get("repositories")
        tables, entries = given if isinstance(given, list) else [], list[tuple[int, Entry]]()
        names = raw.get("groups")
        groups = {DEFAULT_GROUP, *(names if isinstance(names, dict) else ())}
        # One by one, so that a mistake in one hides no other.
        for number, (line, table) in enumerate(
            zip(self._lines.of_repositories(len(tables)), tables, strict=True)
        ):
            prefix = f"repositories[{number}]"
            if entry := self._checked(Entry, table, prefix, line):
                entries.append((line, entry))
            self._check_names(table, prefix, line, groups)
        self._check_webhooks(raw.get("webhooks"))
        whole = self._checked(FleetFile, {**raw, "repositories": []} if tables else raw)
        repositories, repeated = self._unite(entries)
        if whole is None:
            return None
        return Fleet(repositories, whole.groups, whole.webhooks, whole.events_share, repeated)

    def _checked(
        self, model: type[Model], table: Any, prefix: str = "", line: int = 0
    ) -> Model | None:
        try:
            return model.model_validate(table)
        except ValidationError as error:
            for detail in error.errors(include_url=False, include_input=False):
                place = [str(part) for part in detail["loc"] if part != "[key]"]
                where = ".".join(filter(None, [prefix, *place]))
                message = validation_message(detail, a_table="a table")
                self.problems.append((self._lines.of(place, line), f"{where}: {message}"))
        return None

    def _check_names(self, table: Any, prefix: str, line: int, groups: Collection[str]) -> None:
        if not isinstance(table, dict):
            return
        targets = table.get("targets")
        names = {
            "group": ([table.get("group", DEFAULT_GROUP)], groups),
            "targets": (targets if isinstance(targets, dict) else (), self._trackers),
        }
        for key, (given, known) in names.items():
            for name in given:
                if isinstance(name, str) and name not in known:
                    what = f"unknown name {name!r}; there are {', '.join(sorted(known))}"
                    self.problems.append((self._lines.of([key], line), f"{prefix}.{key}: {what}"))

    def _check_webhooks(self, webhooks: Any) -> None:
        for name, table in webhooks.items() if isinstance(webhooks, dict) else ():
            tracker = table.get("tracker") if isinstance(table, dict) else None
            if isinstance(tracker, str) and tracker not in self._trackers:
                there = ", ".join(sorted(self._trackers))
                line = self._lines.of(["webhooks", name, "tracker"], 0)
                what = f"webhooks.{name}.tracker: unknown name {tracker!r}; there are {there}"
                self.problems.append((line, what))
                table["proof"] = "path"  # nobody knows whether it signs

    def _unite(
        self, entries: Iterable[tuple[int, Entry]]
    ) -> tuple[tuple[Repository, ...], tuple[str, ...]]:
        """Each repository once; the same one with other settings is a mistake."""
        first: dict[str, tuple[int, Repository]] = {}
        repeated = []
        for line, entry in entries:
            repository = entry.repository
            key = repository.address.key
            before, same = first.setdefault(key, (line, repository))
            if before == line:
                continue
            problem = f"{key} is the repository of line {before}"
            if replace(repository, address=same.address) == same:
                repeated.append(f"line {line}: {problem}")
            else:
                self.problems.append((line, f"{problem}, with other settings"))
        return tuple(repository for _, repository in first.values()), tuple(repeated)
