"""The configuration: `.unlatch/config.toml`, over an existing `.specweave/config.json`."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from unlatch.config import specweave_limits
from unlatch.config.specweave import repositories_of, tracker_settings
from unlatch.config.sync_config import SyncConfig
from unlatch.config.tables import Limits, Reopen
from unlatch.errors import ConfigError, StoreError
from unlatch.increments.files.layout import HOME, SPECWEAVE
from unlatch.spi.mistakes import mistake_of
from unlatch.spi.text import slots
from unlatch.worklog.safe_open import read_file
from unlatch.worklog.user_config import read_user_file, user_config_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.increments.files.layout import Layout

Model = TypeVar("Model", bound=BaseModel)

# How the mistakes of settings that stand in a wrong place begin.
WRONG_FILE, WRONG_TABLE = "wrong file: it belongs in", "wrong table:"
SLOTS = frozenset({"headline", "reason", "by", "at", "increment", "title"})


class CommentStyle(StrEnum):
    """How much is said on an item."""

    FULL = "full"
    SHORT = "short"
    NONE = "none"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Labels(_Table):
    """Labels (tags on Azure DevOps) that unlatch sets and removes."""

    reopened: str = Field("reopened", description="Added by a reopen, removed by `complete`")
    completed: str = Field("completed", description="Added by `complete`, removed by a reopen")
    scope_change: str = Field(
        "scope-change",
        description="Added by a reopen with new scope, removed by `complete`",
    )


class CoreConfig(_Table):
    """Everything in config.toml but the tables of the trackers."""

    comment: CommentStyle = Field(
        CommentStyle.FULL,
        description="Text of comments: headline and reason (`short`), also who, when and which "
        "increment (`full`), or no comment (`none`)",
    )
    comment_template: str | None = Field(
        None,
        description="Text that replaces the built-in comment. It can use **bold** and "
        "{headline}, {reason}, {by}, {at}, {increment}, {title}",
    )
    mentions: bool = Field(
        default=False,
        description="Let @names and #numbers in a reason notify people and create links",
    )
    frequent_reopens: int = Field(
        3, ge=1, description="Number of reopens at which an increment counts as reopened often"
    )
    settle: Annotated[float, Field(ge=0, le=60)] | None = Field(
        None,
        description="Seconds to wait after a write without an answer, before the item is read "
        "again. The default comes from the tracker's plugin (10 for GitHub)",
    )
    patience: Annotated[float, Field(gt=0, le=60)] = Field(
        2.0,
        description="Seconds that the prompt of `resume` waits for the items. An item without "
        "an answer is shown as unknown",
    )
    labels: Labels = Labels()
    limits: Limits = Limits()
    reopen: Reopen = Reopen()
    sync: SyncConfig = SyncConfig()
    specweave: bool = Field(
        default=True,
        description="Also read .specweave/config.json. `unlatch migrate` turns this off",
    )

    @field_validator("comment_template")
    @classmethod
    def _known_slots(cls, value: str | None) -> str | None:
        unknown = sorted(slots(value or "") - SLOTS)
        if unknown:
            raise ValueError(f"unknown slot {{{unknown[0]}}}; known are {', '.join(sorted(SLOTS))}")
        return value


# Those of them that no table holds.
_TOP_LEVEL = tuple(
    name
    for name, field in CoreConfig.model_fields.items()
    if not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel))
)


class UserConfig(_Table):
    """The user's own config.toml, which no repository can change."""

    trusted_hosts: tuple[str, ...] = Field(
        (),
        description="Hosts that tokens may be sent to, besides the vendor's own; "
        "`*.example.com` covers subdomains",
    )
    tasks_command: tuple[str, ...] = Field(
        (),
        description="Program with arguments that proposes tasks for a scope change. It reads "
        "JSON from stdin and prints JSON",
    )
    allowed_links: tuple[str, ...] = Field(
        (),
        description="Absolute paths of folders that symbolic links in a project may lead to. "
        "Other links are not followed",
    )

    @field_validator("allowed_links")
    @classmethod
    def _absolute(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            if not Path(one).is_absolute():
                raise ValueError(f"{one!r} is not an absolute path")
        return value


@dataclass(frozen=True, slots=True)
class RawConfig:
    """What the files say, before the trackers' tables are checked by their plugins.

    Args:
        core: the core's own values.
        trackers: the tables below `[trackers]`, by the plugin's name.
        origins: where each value came from, by its dotted key.
        problems: every mistake found so far.
    """

    core: CoreConfig
    trackers: Mapping[str, Mapping[str, Any]]
    origins: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def read_config(layout: Layout) -> RawConfig:
    """The project's configuration; mistakes are listed in it, so that all can be told at once.

    Raises:
        ConfigError: a file is no TOML or cannot be read.
    """
    ours = _parsed(read_file, layout.config)
    theirs: dict[str, Any] = {}
    if ours.get("specweave") is not False:
        theirs = _from_specweave(layout.root / SPECWEAVE / "config.json", ours)
    origins = dict.fromkeys(_flat(theirs), f"{SPECWEAVE}/config.json")
    origins |= dict.fromkeys(_flat(ours), ".unlatch/config.toml")
    merged = _merged(theirs, ours)
    tables = merged.pop("trackers", {})
    core, problems = validate(CoreConfig, merged, prefix="")
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        tables, problems = {}, (*problems, "trackers: must be tables like [trackers.github]")
    if core is None:
        # What is right is kept, so that the mistakes of others are still found.
        sound = {key: value for key, value in merged.items() if _is_sound(key, value)}
        core = CoreConfig.model_validate(sound)
    return RawConfig(core, tables, origins, problems)


def _is_sound(key: str, value: Any) -> bool:
    return validate(CoreConfig, {key: value}, prefix="")[0] is not None


def read_user_config(path: Path) -> UserConfig:
    """The user's configuration.

    Raises:
        ConfigError: it is no TOML, or has mistakes; all are listed.
    """
    config, problems = validate(UserConfig, _parsed(read_user_file, path), prefix="")
    if config is None:
        raise ConfigError(problems, where=str(path))
    return config


def validate(
    model: type[Model], values: Mapping[str, Any], *, prefix: str
) -> tuple[Model | None, tuple[str, ...]]:
    """The model of `values`, or every mistake in them with its dotted key."""
    try:
        return model.model_validate(dict(values)), ()
    except ValidationError as error:
        return None, tuple(_problem(detail, prefix, model) for detail in error.errors())


def _problem(detail: Any, prefix: str, model: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in (*([prefix] if prefix else []), *detail["loc"]))
    if detail["type"] == "extra_forbidden":
        return f"{key}: {_unknown(key, model)}"
    # The lists of all settings hold strings.
    return f"{key}: {mistake_of(detail, a_list='a list of strings', a_table='a table')}"


def _unknown(key: str, model: type[BaseModel]) -> str:
    """What is wrong with a setting that is not known in its place."""
    table, _, name = key.rpartition(".")
    if model is UserConfig:
        if key in (*CoreConfig.model_fields, "trackers"):
            return f"{WRONG_FILE} the project's {HOME}/config.toml"
    elif name in UserConfig.model_fields:
        return f"{WRONG_FILE} your own configuration, {user_config_file()}"
    elif table and name in _TOP_LEVEL:
        return f"{WRONG_TABLE} put {name} above the first table, such as [labels]"
    return "there is no such setting"


# A key of many parts: what a parser keeps of it grows with the square of their number.
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
# From the start of a key alone: from within one, each long word would be gone over again and again.
_LONG_KEY = re.compile(rf"(?<![\w.-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{50}}")


def _checked_keys(text: str) -> str:
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a key of more than 50 parts (at line {line})")
    return text


def _parsed(read: Callable[[Path], bytes], path: Path) -> dict[str, Any]:
    """What a TOML file holds; nothing if there is no such file.

    Raises:
        ConfigError: it cannot be read, or is no TOML; of a project's file also with the id
            `unsafe-path`, `not-a-file` or `file-too-large`.
    """
    try:
        return tomllib.loads(_checked_keys(read(path).decode("utf-8")))
    except FileNotFoundError:
        return {}
    except StoreError as error:
        raise ConfigError(
            (error.message,), where=error.where or str(path), hint=error.hint, id=error.id
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        problem = f"the file cannot be read: {error}"
        raise ConfigError((problem,), where=str(path), hint="fix the line shown above") from error


def repositories_of_profiles(layout: Layout) -> Mapping[str, str]:
    """The repository on GitHub that each of SpecWeave's profiles names."""
    return repositories_of(_specweave_config(layout.root / SPECWEAVE / "config.json"))


def _specweave_config(path: Path) -> Any:
    try:
        return json.loads(read_file(path))
    except (OSError, StoreError, ValueError, RecursionError):
        return {}  # not ours: SpecWeave reports its own mistakes


def _from_specweave(path: Path, ours: Mapping[str, Any]) -> dict[str, Any]:
    config = _specweave_config(path)
    if not config:
        return {}
    found: dict[str, Any] = {}
    if table := specweave_limits.limits(config):
        found["limits"] = table
    return {**found, **tracker_settings(config, ours)}


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
