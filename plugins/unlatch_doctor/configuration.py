"""The mistakes in the configuration, and the origin of each value."""

from __future__ import annotations

import difflib
import json
from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from unlatch.config.config import WRONG_FILE, WRONG_TABLE, CoreConfig, RawConfig, read_user_config
from unlatch.errors import ConfigError, PluginBroken, StoreError
from unlatch.project.check_trackers import check_trackers
from unlatch.project.plugins.errors import blaming
from unlatch.project.plugins.loading import load_settings
from unlatch.spi.table_models import dumped, model_of
from unlatch.spi.tables import Table
from unlatch.transport.trust import TRUSTED_HOSTS, named_hosts
from unlatch_doctor.finding import Found, Hits, Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.spi import Settings
    from unlatch_doctor.snapshot import ProjectSnapshot

_OURS = ".unlatch/config.toml"
DEFAULT = "default"
_HOSTS = "trusted_hosts"


def mistakes(project: ProjectSnapshot) -> Hits:
    """The mistakes of the project's configuration and of the user's own."""
    workspace = project.workspace
    try:
        raw = workspace.raw_config
    except (ConfigError, StoreError) as error:
        yield error
    else:
        descriptions = known_settings(workspace)
        checked = check_trackers(raw, workspace.registry)
        for problem in checked.problems:
            yield _mistake(problem, raw, descriptions)
        yield from checked.broken.values()
        for name, table in checked.settings.items():
            try:
                _of_tracker(name, table, raw)
            except PluginBroken as error:
                yield error
    try:
        _ = workspace.user.trusted_hosts, workspace.user.allowed_links
    except ConfigError as error:
        yield error


def settings_in_force(workspace: Workspace) -> Iterator[Setting]:
    """Each setting with its origin, without those of a file with mistakes."""
    with suppress(ConfigError, StoreError):
        raw = workspace.raw_config
        checked = check_trackers(raw, workspace.registry)
        if all(problem.startswith("trackers.") for problem in checked.problems):
            yield from _in_force(raw.core, raw.origins)
        for name, table in checked.settings.items():
            with suppress(PluginBroken):  # a check reports it
                yield from _of_tracker(name, table, raw)
    hosts = [*_hosts_of_environment(workspace)]
    with suppress(ConfigError):
        for setting in settings_of_user(workspace.user_file):
            if setting.key.partition(".")[0] != _HOSTS:
                yield setting
            elif setting.value or not hosts:
                hosts.append(setting)
    yield from sorted(hosts, key=lambda setting: setting.key)


def settings_of_user(path: Path) -> Iterator[Setting]:
    """The settings of the user's own configuration; ConfigError: it has mistakes."""
    config = read_user_config(path)
    given = [key for key, _ in _flat(dumped(config, given_only=True), "")]
    for key, value in _flat(dumped(config), ""):
        is_given = any(other == key or other.startswith(f"{key}.") for other in given)
        displayed = _shown(value) if key.startswith(f"{_HOSTS}.") else value
        yield Setting(key.removesuffix("."), displayed, str(path) if is_given else DEFAULT)


def _mistake(problem: str, raw: RawConfig, descriptions: Mapping[str, str]) -> Found:
    key, _, what = problem.partition(": ")
    origin = raw.origins.get(key, _OURS)
    has_default = origin == _OURS and not key.startswith("trackers.")
    step = f"to use the default: unlatch config unset {quote(key)}" if has_default else None
    return Found(f"{key}: {what}", f"{origin}:{key}", hint_for(problem, descriptions, step))


def hint_for(problem: str, descriptions: Mapping[str, str], step: str | None = None) -> str:
    """The next step for a mistake in the configuration; `step` helps with one in a value."""
    key, _, what = problem.partition(": ")
    if what.startswith((WRONG_FILE, WRONG_TABLE)):
        return "move it there"
    if meaning := descriptions.get(key):
        return "; ".join(filter(None, (f"correct the value ({meaning})", step)))
    return _similar(key, descriptions)


def _similar(key: str, descriptions: Mapping[str, str]) -> str:
    table, dot, name = key.rpartition(".")
    siblings = [
        other.rpartition(".")[2] for other in descriptions if other.rpartition(".")[0] == table
    ]
    close = difflib.get_close_matches(name, siblings, n=1)
    if close:
        return f"did you mean {table}{dot}{close[0]}?"
    if elsewhere := [other for other in descriptions if other.rpartition(".")[2] == name]:
        return f"did you mean {elsewhere[0]}?"
    return "unlatch doctor --settings"


def known_settings(workspace: Workspace) -> dict[str, str]:
    descriptions = described(CoreConfig)
    for name, manifest in workspace.registry.manifests.items():
        with suppress(PluginBroken):  # another check reports it
            descriptions |= described(load_settings(manifest), prefix=f"trackers.{name}.")
    return descriptions


def described(settings: Any, *, prefix: str = "") -> dict[str, str]:
    """The description of each setting of a class, by its dotted key."""
    descriptions: dict[str, str] = {}
    for name, field in model_of(settings).model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel | Table):
            descriptions |= described(inner, prefix=f"{prefix}{name}.")
        else:
            descriptions[prefix + name] = field.description or ""
    return descriptions


def _of_tracker(name: str, table: Settings, raw: RawConfig) -> list[Setting]:
    """The settings of a tracker; PluginBroken: its plugin cannot show them."""
    with blaming(name, f"showing [trackers.{name}]"):
        settings = [*_in_force(table, raw.origins, prefix=f"trackers.{name}.")]
        json.dumps([setting.value for setting in settings])
    return settings


def _in_force(table: Any, origins: Mapping[str, str], *, prefix: str = "") -> Iterator[Setting]:
    for key, value in _flat(dumped(table), prefix):
        inside = (origin for name, origin in origins.items() if name.startswith(f"{key}."))
        yield Setting(key, value, origins.get(key) or next(inside, DEFAULT))


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _hosts_of_environment(workspace: Workspace) -> Iterator[Setting]:
    environ = workspace.environ
    listed: dict[str, list[str]] = {}
    for tracker, host in named_hosts(environ):
        listed.setdefault(f"{_HOSTS}.{tracker}".removesuffix("."), []).append(host)
    for key, hosts in listed.items():
        yield Setting(key, _shown(hosts), TRUSTED_HOSTS)
    for manifest in workspace.registry.manifests.values():
        for name in manifest.host_env:
            if host := environ.get(name, "").strip():
                yield Setting(f"{_HOSTS}.{manifest.name}", _shown([host]), name)


def _shown(hosts: Iterable[str]) -> list[str]:
    return ["(not shown: it holds a user name)" if "@" in host else host for host in hosts]
