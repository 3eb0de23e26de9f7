"""The configuration: `.unlatch/config.toml`, over an existing `.specweave/config.json`."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from unlatch.config.choices import CommentStyle
from unlatch.config.completion import CompletionConfig
from unlatch.config.other_tools import FILE, settings_below
from unlatch.config.tables import (
    CommentsConfig,
    DocumentsConfig,
    EffortsConfig,
    Labels,
    LayoutsConfig,
    LimitsConfig,
    LlmConfig,
    RegressionsConfig,
    ReopenConfig,
    RunsConfig,
    SessionsConfig,
    SyncConfig,
)
from unlatch.config.value_types import SHAPES, AliasName, Count, YesNo
from unlatch.errors import ConfigError, StoreError
from unlatch.increments.files.paths import HOME, ProjectPaths
from unlatch.spi.tables import Check, Constraint, Table, setting
from unlatch.spi.text import slots
from unlatch.spi.validation import validation_message
from unlatch.values import dataclass
from unlatch.worklog.disk.file_check import git_command
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.disk.user_files import is_closed, read_user_file, user_config_file
from unlatch.worklog.text.parsing import load_toml

Model = TypeVar("Model")

# The beginnings of messages about settings in a wrong place.
WRONG_FILE, WRONG_TABLE = "wrong file: it belongs in", "wrong table:"
NO_TRACKER = ""  # the key of trusted hosts without one
SLOTS = frozenset({"headline", "reason", "by", "at", "increment", "title"})


def _template(value: str) -> str:
    unknown = sorted(slots(value) - SLOTS)
    if unknown:
        raise ValueError(f"unknown slot {{{unknown[0]}}}; known are {', '.join(sorted(SLOTS))}")
    return value


def _commands(value: dict[str, str]) -> dict[str, str]:
    for name, command in value.items():
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
        if not words or words[0].startswith("-"):
            raise ValueError(f"{name} does not begin with a command")
    return value


def _absolute_paths(value: tuple[str, ...]) -> tuple[str, ...]:
    if relative := [path for path in value if not Path(path).is_absolute()]:
        raise ValueError(f"{relative[0]!r} is not an absolute path")
    return value


class CommentConfig(Table):
    """The text of comments."""

    comment: CommentStyle = setting(
        default=CommentStyle.FULL,
        description="Text of comments: headline and reason (`short`), also who, when and which "
        "increment (`full`), or no comment (`none`)",
    )
    comment_template: Annotated[str, Check(_template)] | None = setting(
        default=None,
        description="Text that replaces the built-in comment. It can use **bold** and "
        "{headline}, {reason}, {by}, {at}, {increment}, {title}",
    )


class TopLevel(CommentConfig):
    """The settings of config.toml outside of tables."""

    mentions: YesNo = setting(
        default=False,
        description="Let @names and #numbers in a reason notify people and create links",
    )
    frequent_reopens: Count = setting(
        default=3, description="Number of reopens at which an increment counts as reopened often"
    )
    settle: Annotated[float, Constraint(strict=True, ge=0, le=60)] | None = setting(
        default=None,
        description="Seconds to wait after a write without an answer, before the item is read "
        "again. The default comes from the tracker's plugin (10 for GitHub and Jira)",
    )
    request_timeout: Annotated[float, Constraint(strict=True, gt=0, le=600)] = setting(
        default=60.0,
        description="Seconds after which a request to a tracker ends, however its answer comes. "
        "30 seconds of silence end it before",
    )
    patience: Annotated[float, Constraint(strict=True, gt=0, le=60)] = setting(
        default=2.0,
        description="Seconds that the prompt of `resume` waits for the items. An item without "
        "an answer is shown as unknown",
    )
    specweave: YesNo = setting(
        default=True,
        description="Also read .specweave/config.json. `unlatch migrate` turns this off",
    )


class CoreConfig(TopLevel):
    """config.toml without the tables of the trackers."""

    labels: Labels = setting(default=Labels())
    limits: LimitsConfig = setting(default=LimitsConfig())
    reopen: ReopenConfig = setting(default=ReopenConfig())
    completion: CompletionConfig = setting(default=CompletionConfig())
    sync: SyncConfig = setting(default=SyncConfig())
    layouts: LayoutsConfig = setting(default=LayoutsConfig())
    documents: DocumentsConfig = setting(default=DocumentsConfig())
    sessions: SessionsConfig = setting(default=SessionsConfig())
    runs: RunsConfig = setting(default=RunsConfig())
    comments: CommentsConfig = setting(default=CommentsConfig())
    regressions: RegressionsConfig = setting(default=RegressionsConfig())


class ItemsConfig(CommentConfig):
    """Items outside of projects."""

    labels: Labels = setting(default=Labels())

    @property
    def core(self) -> CoreConfig:
        """The configuration of these items, as a project's."""
        return CoreConfig().replaced(**dict(self))


class UserConfig(Table):
    """The user's own config.toml, which no repository can change."""

    trusted_hosts: dict[str, tuple[str, ...]] = setting(
        default={},
        description="Hosts that a tracker's token may be sent to, besides the vendor's own: "
        "{jira = ['jira.example.com']}. `*.example.com` covers subdomains",
    )
    tasks_command: tuple[str, ...] = setting(
        default=(),
        description="Program with arguments that proposes tasks for a scope change. It reads "
        "JSON from stdin and prints JSON",
    )
    allowed_links: Annotated[tuple[str, ...], Check(_absolute_paths)] = setting(
        default=(),
        description="Absolute paths of folders that symbolic links in a project may lead to. "
        "Other links are not followed",
    )
    allowed_projects: Annotated[tuple[str, ...], Check(_absolute_paths)] = setting(
        default=(),
        description="Absolute paths of projects, or of folders with projects, that may be used "
        "though they belong to another account or are above the top of the git repository",
    )
    confirm_closing: YesNo = setting(
        default=True,
        description="Ask at a terminal before `complete` and `abandon` close items",
    )
    aliases: Annotated[dict[AliasName, str], Check(_commands)] = setting(
        default={},
        description="Short names for commands: {r = 'resume', wip = 'list --status active'}",
    )
    items: ItemsConfig = setting(default=ItemsConfig())
    efforts: EffortsConfig = setting(default=EffortsConfig())
    llm: LlmConfig = setting(default=LlmConfig())

    @classmethod
    def model_validate(cls, values: Mapping[str, Any]) -> Self:
        """The same as `Table`; trusted hosts can be a list, as in earlier versions."""
        hosts = values.get("trusted_hosts")
        unbound = {"trusted_hosts": {NO_TRACKER: hosts}} if isinstance(hosts, list) else {}
        return super().model_validate({**values, **unbound})


@dataclass(frozen=True, slots=True)
class RawConfig:
    """The content of the files, before plugins check the trackers' tables."""

    core: CoreConfig
    trackers: Mapping[str, Mapping[str, Any]]  # the tables below `[trackers]`, by plugin's name
    origins: Mapping[str, str] = field(default_factory=dict)  # the files, by dotted key of a value
    problems: tuple[str, ...] = ()  # every mistake found so far


def read_config(paths: ProjectPaths) -> RawConfig:
    """The project's configuration and all its mistakes; ConfigError: a file cannot be read."""
    return merge_config(paths, parse(read_file, paths.config))


def merge_config(paths: ProjectPaths, ours: dict[str, Any]) -> RawConfig:
    """The same with this content in place of config.toml."""
    theirs = settings_below(paths.root, ours)
    origins = dict.fromkeys(_flat(theirs), FILE)
    origins |= dict.fromkeys(_flat(ours), ".unlatch/config.toml")
    merged = _merged(theirs, ours)
    tables = merged.pop("trackers", {})
    core, problems = validate(CoreConfig, merged, prefix="")
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        tables, problems = {}, (*problems, "trackers: must be tables like [trackers.github]")
    if core is None:
        # Valid settings are kept, so that later mistakes are still found.
        alone = ((key, {key: value}) for key, value in merged.items())
        valid = [key for key, table in alone if validate(CoreConfig, table, prefix="")[0]]
        core = CoreConfig.model_validate({key: merged[key] for key in valid})
    return RawConfig(core, tables, origins, problems)


def read_user_config(path: Path) -> UserConfig:
    """The user's configuration; ConfigError: it is not TOML, or has mistakes (all are listed)."""
    values = {} if is_closed(path) else parse(read_user_file, path)
    config, problems = validate(UserConfig, values, prefix="")
    if config is None:
        raise ConfigError(problems, where=str(path))
    return config


def validate(
    model: type[Model], values: Mapping[str, Any], *, prefix: str
) -> tuple[Model | None, tuple[str, ...]]:
    """The settings of `values`, or all mistakes with their dotted keys.

    `model` is a `Table`, or a pydantic model.
    """
    validated: Callable[[Any], Model] = model.model_validate  # type: ignore[attr-defined]
    try:
        return validated(dict(values)), ()
    except ValueError as error:
        from pydantic import ValidationError  # noqa: PLC0415  (slow to load)

        if not isinstance(error, ValidationError):
            raise
        return None, tuple(_problem(detail, prefix, model) for detail in error.errors())


def _problem(detail: Any, prefix: str, model: type[Any]) -> str:
    parts = (part for part in detail["loc"] if part not in ("[key]", NO_TRACKER))
    key = ".".join(str(part) for part in (*([prefix] if prefix else []), *parts))
    if detail["type"] == "extra_forbidden":
        return f"{key}: {_unknown(key, model)}"
    if words := SHAPES.get(detail.get("ctx", {}).get("pattern")):
        return f"{key}: expected {words}"
    # The lists of all settings hold strings.
    return f"{key}: {validation_message(detail, a_list='a list of strings', a_table='a table')}"


def _unknown(key: str, model: type[Any]) -> str:
    table, _, name = key.rpartition(".")
    if model is UserConfig:
        if key in (*CoreConfig.SETTINGS, "trackers"):
            return f"{WRONG_FILE} the project's {HOME}/config.toml"
    elif name in UserConfig.SETTINGS:
        return f"{WRONG_FILE} your own configuration, {user_config_file()}"
    elif table and name in TopLevel.SETTINGS:
        return f"{WRONG_TABLE} put {name} above the first table, such as [labels]"
    return "unknown setting"


def parse(read: Callable[[Path], bytes], path: Path) -> dict[str, Any]:
    """The content of a TOML file; empty if the file is missing.

    ConfigError: it cannot be read, or is not TOML; for a project's file also with the id
    `unsafe-path`, `not-a-file` or `file-too-large`.
    """
    text = ""
    try:
        text = read(path).decode("utf-8-sig")
        return load_toml(text)
    except FileNotFoundError:
        return {}
    except StoreError as error:
        where = error.where or str(path)
        raise ConfigError((error.message,), where=where, hint=error.hint, id=error.id) from error
    except UnicodeDecodeError as error:
        problem = (
            f"the file is not UTF-8 text: byte {error.start} is {error.object[error.start]:#x}"
        )
        hint = "save it as UTF-8"
        raise ConfigError((problem,), where=str(path), hint=hint) from error
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror}"
        hint = "check the file and its permissions"
        raise ConfigError((problem,), where=str(path), hint=hint) from error
    except ValueError as error:
        from tomllib import TOMLDecodeError  # noqa: PLC0415  (only here)

        from unlatch.increments.files.metadata_file import conflict_in  # noqa: PLC0415  (as above)

        # tomllib counts lines everywhere but there.
        lines = text.rstrip().count("\n") + 1 if isinstance(error, TOMLDecodeError) else 0
        why = str(error).replace("at end of document", f"at line {lines}, the end of the file")
        problem, hint = f"the file cannot be read: {why}", "fix the line shown above"
        if marked := conflict_in(text):
            problem = f"the file has git conflict markers (at line {marked})"
            add = git_command("add", path)  # the user's own file is rarely in a repository
            hint = f"resolve it by hand, then {add}" if add else "resolve it by hand"
        raise ConfigError((problem,), where=str(path), hint=hint) from error


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[str]:
    keys: list[str] = []
    for key, value in values.items():
        inner = isinstance(value, dict)
        keys += _flat(value, f"{prefix}{key}.") if inner else [f"{prefix}{key}"]
    return keys
