"""The mistakes in the configuration, and the origin of each value."""

from __future__ import annotations

import difflib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from unlatch.config.config import WRONG_FILE, WRONG_TABLE, CoreConfig, RawConfig
from unlatch.doctor.finding import Found, Hits, Setting
from unlatch.errors import ConfigError, PluginBroken, StoreError
from unlatch.project.registry import load_settings
from unlatch.project.workspace import Workspace, check_trackers
from unlatch.transport.trust import TRUSTED_HOSTS
from unlatch.worklog.disk.user_files import ALLOWED_LINKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unlatch.doctor.snapshot import ProjectSnapshot

_OURS = ".unlatch/config.toml"
DEFAULT = "default"


def mistakes(project: ProjectSnapshot) -> Hits:
    """The mistakes of the project's configuration and of the user's own."""
    workspace = project.workspace
    try:
        raw = workspace.raw_config
    except (ConfigError, StoreError) as error:
        yield error
    else:
        known = _known(workspace)
        checked = check_trackers(raw, workspace.registry)
        for problem in checked.problems:
            yield _mistake(problem, raw, known)
        yield from checked.broken
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
            yield from _in_force(table, raw.origins, prefix=f"trackers.{name}.")
    further = [*_hosts_of_environment(workspace)]
    with suppress(ConfigError):
        hosts, links = workspace.user.trusted_hosts, workspace.user.allowed_links
        source = str(workspace.user_config) if links else DEFAULT
        yield Setting(ALLOWED_LINKS, list(links), source)
        if hosts:
            yield Setting("trusted_hosts", _shown(hosts), str(workspace.user_config))
        elif not further:
            yield Setting("trusted_hosts", [], DEFAULT)
    yield from further


def _mistake(problem: str, raw: RawConfig, known: Mapping[str, str]) -> Found:
    key, _, what = problem.partition(": ")
    origin = raw.origins.get(key, _OURS)
    if what.startswith((WRONG_FILE, WRONG_TABLE)):
        hint = "move it there"
    else:
        hint = f"meaning: {known[key]}" if known.get(key) else _similar(key, known)
    return Found(f"{key}: {what}", f"{origin}:{key}", hint)


def _similar(key: str, known: Mapping[str, str]) -> str:
    table, _, name = key.rpartition(".")
    siblings = [other.rpartition(".")[2] for other in known if other.rpartition(".")[0] == table]
    close = difflib.get_close_matches(name, siblings, n=1)
    if close:
        return f"did you mean {close[0]}?"
    if elsewhere := [other for other in known if other.rpartition(".")[2] == name]:
        return f"did you mean {elsewhere[0]}?"
    return "unlatch doctor --settings lists the settings"


def _known(workspace: Workspace) -> dict[str, str]:
    known = described(CoreConfig)
    for name, manifest in workspace.registry.manifests.items():
        with suppress(PluginBroken):  # another check reports it
            known |= described(load_settings(manifest), prefix=f"trackers.{name}.")
    return known


def described(model: type[BaseModel], *, prefix: str = "") -> dict[str, str]:
    """The description of each setting of a model, by its dotted key."""
    known: dict[str, str] = {}
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            known |= described(inner, prefix=f"{prefix}{name}.")
        else:
            known[prefix + name] = field.description or ""
    return known


def _in_force(table: Any, origins: Mapping[str, str], *, prefix: str = "") -> Iterator[Setting]:
    for key, value in _flat(table.model_dump(mode="json"), prefix):
        inside = (origin for name, origin in origins.items() if name.startswith(f"{key}."))
        yield Setting(key, value, origins.get(key) or next(inside, DEFAULT))


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _hosts_of_environment(workspace: Workspace) -> Iterator[Setting]:
    names = [TRUSTED_HOSTS]
    names += [n for m in workspace.registry.manifests.values() for n in m.host_env]
    for name in names:
        listed = workspace.environ.get(name, "").split(",")
        if hosts := [host.strip() for host in listed if host.strip()]:
            yield Setting("trusted_hosts", _shown(hosts), name)


def _shown(hosts: Iterable[str]) -> list[str]:
    return ["(not shown: it holds a user name)" if "@" in host else host for host in hosts]
