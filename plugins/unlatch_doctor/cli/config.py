"""unlatch config: read and change settings."""

from __future__ import annotations

import json
from difflib import get_close_matches
from os.path import relpath
from shlex import join, quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.runtime.aliases import check_alias
from unlatch.cli.runtime.groups import Group
from unlatch.cli.table import COMMANDS, outside_names
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.patterns import pattern
from unlatch.project.registry import Registry
from unlatch.worklog.disk.user_files import user_config_file
from unlatch_doctor.cli.doctor_report import tell_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch_doctor.change_setting import ConfigFile
    from unlatch_doctor.finding import Setting

_ALIASES = "aliases."
_NUMBER = pattern(r"-[0-9.]")
_KEY = click.argument("key", metavar="KEY")
_USER = flag("--user", help="Change your own configuration, not the project's.")

run = Group()


class _Setting(click.Command):
    """The command that sets a setting, also to -1, or an alias to words with options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = [arg for arg in args if arg in self._options]
        words = [arg for arg in args if arg not in self._options]
        is_alias = bool(words[1:]) and words[0].startswith(_ALIASES)
        if "--" not in args and (is_alias or any(map(_NUMBER.match, words))):
            args = [*options, "--", *words]
        return super().parse_args(ctx, args)

    @property
    def _options(self) -> frozenset[str]:
        names = (name for parameter in self.params for name in parameter.opts)
        return frozenset({"-h", "--help", *names})


def _unquoted(key: str, words: Sequence[str]) -> UsageError:
    message = "an alias is one text: quote the words of its command"
    hint = join(["unlatch", "config", "set", "--user", key, " ".join(words)])
    return UsageError("setting-invalid", message, hint=hint)


def _check_alias(name: str, words: str) -> None:
    root: Any = click.get_current_context().find_root().command  # a group
    try:
        check_alias(name, words, root)
    except UsageError as error:
        error.id = "setting-invalid"
        raise


@run.command("list", help="List the settings with their values and sources. (local)")
@with_json
def _list(context: Context, *, as_json: bool) -> int:
    return _tell(_settings(context), as_json=as_json)


@run.command("get", help="Print the value of a setting, or those of a table. (local)")
@_KEY
@with_json
def _get(context: Context, *, key: str, as_json: bool) -> int:
    settings = _settings(context)
    matches = [setting for setting in settings if setting.key == key]
    matches = matches or [setting for setting in settings if setting.key.startswith(f"{key}.")]
    if not matches:
        close = get_close_matches(key, [setting.key for setting in settings], 1)
        hint = f"unlatch config get {quote(close[0])}" if close else "unlatch config list"
        raise UsageError("setting-unknown", f"there is no setting {key!r}", hint=hint)
    if as_json or matches[0].key != key:
        return _tell(matches, as_json=as_json)
    for setting in matches:  # trusted_hosts may have several sources
        values = setting.value if isinstance(setting.value, list) else [setting.value]
        output.verbatim(*(_text(value) for value in values if value is not None))
    return 0


@run.command("set", cls=_Setting, help="Set a setting; several values make a list. (local)")
@_KEY
@click.argument("values", metavar="VALUE...", nargs=-1, required=True)
@_USER
@with_json
def _set(context: Context, *, key: str, values: tuple[str, ...], user: bool, as_json: bool) -> int:
    from unlatch_doctor.change_setting import set_value  # noqa: PLC0415  (loads pydantic)

    file = _file(context, user=user)
    name = key.removeprefix(_ALIASES).strip("'\"")
    if (
        user
        and key.startswith(_ALIASES)
        and name in (*COMMANDS, *outside_names(), *Registry().manifests)
    ):
        message = f"{name!r} is a command; an alias cannot replace it"
        raise UsageError("setting-invalid", message, hint="choose another name")
    if key.startswith(_ALIASES) and len(values) > 1:
        raise _unquoted(key, values)
    if user and key.startswith(_ALIASES):
        _check_alias(name, values[0])
    value = set_value(file, key, values)
    return _tell_change(file, key, value, as_json=as_json)


@run.command("unset", help="Remove a setting from the file, so that its default counts. (local)")
@_KEY
@_USER
@with_json
def _unset(context: Context, *, key: str, user: bool, as_json: bool) -> int:
    from unlatch_doctor.change_setting import unset_value  # noqa: PLC0415  (loads pydantic)

    file = _file(context, user=user)
    unset_value(file, key)
    return _tell_change(file, key, None, as_json=as_json)


def _file(context: Context, *, user: bool) -> ConfigFile:
    from unlatch_doctor.change_setting import project_file, user_file  # noqa: PLC0415  (as above)

    return user_file(user_config_file()) if user else project_file(context.workspace)


def _settings(context: Context) -> list[Setting]:
    """The settings in force; outside of a project the user's own. ConfigError: mistakes."""
    from unlatch_doctor.configuration import (  # noqa: PLC0415  (loads pydantic)
        settings_in_force,
        settings_of_user,
    )

    if not context.has_project:
        return [*settings_of_user(user_config_file())]
    _ = context.workspace.config  # raises
    return [*settings_in_force(context.workspace)]


def _tell(settings: list[Setting], *, as_json: bool) -> int:
    entries = [output.fields(setting, "key", "value", "source") for setting in settings]
    if as_json:
        output.document("settings", settings=entries)
    else:
        tell_settings(entries)
    return 0


def _tell_change(file: ConfigFile, key: str, value: Any, *, as_json: bool) -> int:
    if as_json:
        output.document("setting-change", key=key, value=value, file=str(file.path))
    else:
        change = f"{key} removed" if value is None else f"{key} = {_text(value)}"
        near = relpath(file.path)
        place = str(file.path) if near.startswith("..") else near
        output.ok(f"{output.clean(change)} in {output.clean(place)}")
    return 0


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
