"""The options that all commands that deliver have in common."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import dry_run_option, flag, together
from unlatch.cli.options.number import Number
from unlatch.cli.runtime.passing import context_of
from unlatch.config.choices import CommentStyle
from unlatch.errors import UsageError
from unlatch.project.registry import Registry
from unlatch.spi.operation import DeliveryOptions, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from unlatch.increments.model.link import Link
    from unlatch.lifecycle.change import ChangeOptions
    from unlatch.spi import Manifest, Option

DRY_RUN = dry_run_option("Show each item, comment and request, and write nothing.")
# Eager: it is known before the arguments are looked up.
OFFLINE = flag("--offline", is_eager=True, help="Leave the items for unlatch sync.")
YES = flag("--yes", "-y", help="Do not ask.")
FORCE = flag("--force", help="Override limits and rules; recorded in the history.")


def checked_labels(
    _ctx: click.Context, option: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """The labels, without space around them; refuses empty ones and control characters."""
    names = tuple(name.strip() for name in value)
    if wrong := [name for name in names if not (name and name.isprintable())]:
        raise click.BadParameter(f"{wrong[0]!r} is not a label.", param=option)
    return names


_COMMON = ("dry_run", "offline", "yes", "as_json", "verbose", "max_items", "own_pending")
_COMMENT = click.option(
    "--comment",
    type=click.Choice([style.value for style in CommentStyle]),
    help="Text of the comment on each item; by default as configured.",
)
_EVEN_IF_NOT_PLANNED = flag(
    "--even-if-not-planned", help="Also reopen items that were closed on purpose."
)
_LABELS = (
    click.option(
        "--label",
        "add_labels",
        metavar="NAME",
        multiple=True,
        callback=checked_labels,
        help="Also add this label, or tag (repeat).",
    ),
    click.option(
        "--remove-label",
        "remove_labels",
        metavar="NAME",
        multiple=True,
        callback=checked_labels,
        help="Also remove this label, or tag (repeat).",
    ),
    flag("--no-labels", help="Leave the configured labels as they are."),
)
_FOLLOW = flag("--follow", help="Follow items that were moved or renamed, and update their links.")


def _limit_time(ctx: click.Context, _option: click.Parameter, seconds: float | None) -> None:
    if seconds is not None:
        context_of(ctx).max_time = seconds


MAX_TIME = click.option(
    "--max-time",
    type=Number(min=0, min_open=True),
    metavar="SECONDS",
    expose_value=False,
    callback=_limit_time,
    help="Begin nothing new after so many seconds; the rest stays pending.",
)


def serving(
    *kinds: Kind, comment: bool = True, labels: bool = False, of: Manifest | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """Give a command these options, passed to it as `delivery`.

    Args:
        kinds: the operations of the command; plugins' options are offered for these.
        comment: whether the command has the option `--comment`.
        labels: whether it has those for labels.
        of: the only tracker of the command, whose options it has; by default those of all.
    """
    plugins = _plugin_flags(kinds, (of,) if of else Registry().manifests.values())
    flags = [_FOLLOW, MAX_TIME]
    flags += [_plugin_option(parameter, option) for parameter, option in plugins.items()]
    if Kind.REOPEN in kinds:
        flags.append(_EVEN_IF_NOT_PLANNED)
    if comment:
        flags.append(_COMMENT)
    if labels:
        flags += _LABELS

    def decorate(function: Callable[..., Any]) -> Any:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            delivery = DeliveryOptions(
                comment=kwargs.pop("comment", None),
                even_if_not_planned=kwargs.pop("even_if_not_planned", False),
                follow=kwargs.pop("follow"),
                plugin=frozenset(_given(plugins, kwargs)),
                add_labels=kwargs.pop("add_labels", ()),
                remove_labels=kwargs.pop("remove_labels", ()),
                no_labels=kwargs.pop("no_labels", False),
            )
            _refuse_both(delivery)
            return function(*args, delivery=delivery, **kwargs)

        return together(*flags)(run)

    return decorate


def _refuse_both(delivery: DeliveryOptions) -> None:
    added = {*map(str.casefold, delivery.add_labels)}
    for name in delivery.remove_labels:
        if name.casefold() in added:
            raise click.UsageError(f"--label and --remove-label both name {name!r}")


def take_options(given: dict[str, Any], **more: Any) -> tuple[ChangeOptions, dict[str, Any]]:
    """The options that commands which change something have in common, and the others."""
    common = {name: value for name, value in given.items() if name in _COMMON}
    others = {name: value for name, value in given.items() if name not in _COMMON}
    from unlatch.lifecycle.change import ChangeOptions  # noqa: PLC0415  (slow to load)

    return ChangeOptions(**common, **more), others


def refuse_elsewhere(delivery: DeliveryOptions, links: Iterable[Link]) -> None:
    """Refuse an option of trackers that none of the items is on; UsageError `not-its-option`."""
    if not (delivery.plugin and (names := {link.tracker for link in links})):
        return
    given = {assignment.partition("=")[0] for assignment in delivery.plugin}
    for option, manifests in Registry().offering.items():
        if option in given and names.isdisjoint(manifest.name for manifest in manifests):
            titles = " and ".join(manifest.title for manifest in manifests)
            message = f"--{option} is an option of {titles}, and no item is there"
            hint = f"leave out --{option}"
            raise UsageError("not-its-option", message, hint=hint)


def _checked_value(_ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    value = value and value.strip()
    if value is not None and not (value and value.isprintable()):
        raise click.BadParameter(f"{value!r} is empty or has control characters", param=option)
    return value


def _plugin_option(parameter: str, option: Option) -> Callable[[Any], Any]:
    name = f"--{option.name}"
    if option.metavar:
        return click.option(
            name, parameter, metavar=option.metavar, help=option.help, callback=_checked_value
        )
    return flag(name, parameter, help=option.help)


def _given(plugins: Mapping[str, Option], kwargs: dict[str, Any]) -> Iterator[str]:
    """The plugins' options of a command, taken out of its arguments."""
    for key, option in plugins.items():
        if (value := kwargs.pop(key)) not in (None, False):
            yield f"{option.name}={value}" if option.metavar else option.name


def _plugin_flags(kinds: tuple[Kind, ...], manifests: Iterable[Manifest]) -> dict[str, Option]:
    """The options of these trackers for these operations, by the parameters' names."""
    by_parameter: dict[str, Option] = {}
    for manifest in manifests:
        for option in manifest.options:
            if not set(kinds).isdisjoint(option.kinds):
                by_parameter[f"plugin_{option.name.replace('-', '_')}"] = option
    return by_parameter
