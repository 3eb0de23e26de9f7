"""unlatch agents hook: what an agent's hooks run."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.number import Number
from unlatch.cli.terminal import output
from unlatch.project.workspace import utc_now
from unlatch.transport.trace import own_home
from unlatch.worklog.disk.user_files import user_config_file
from unlatch.worklog.search_path import search_path
from unlatch_agents.hooks.hook import handle_event
from unlatch_agents.hooks.hook_event import LARGEST
from unlatch_agents.hooks.hook_log import log_failure

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOLERANT = {"ignore_unknown_options": True, "allow_extra_args": True}
# Seconds.
_LIMIT, _LONGEST = 10.0, 3600.0


class _Hook(click.Command):
    """An agent takes exit code 2 as an order to stop, so even a wrong option must not fail."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            log_failure(error, now=utc_now())
            ctx.params = {"time_limit": _LIMIT}
            return []


@click.command(
    "hook",
    cls=_Hook,
    help="Handle a hook event of an agent, read from stdin; always exits with 0. (local)",
    context_settings=_TOLERANT,
)
@click.option(
    "--time-limit",
    type=Number(min=0.1),
    default=_LIMIT,
    show_default=True,
    metavar="SECONDS",
    help="Give up after this time, in seconds.",
)
def hook_agents(*, time_limit: float) -> int:
    try:
        with _limited(time_limit):
            if answer := _answer():
                _write(answer)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (an agent must go on)
        log_failure(error, now=utc_now())
    return 0


def _answer() -> dict[str, Any] | None:
    raw = sys.stdin.buffer.read(LARGEST + 1)
    os.environ["PATH"] = search_path(os.environ.get("PATH"))
    home = own_home() or Path("/")
    return handle_event(raw, environ=os.environ, home=home, user_config=user_config_file())


def _write(answer: dict[str, Any]) -> None:
    output.data(json.dumps(answer))
    if failure := output.take_failure():
        raise failure


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """End this process after a time; files stay whole, as after a crash."""
    timer = Timer(min(_LONGEST, seconds), _give_up, (seconds,))  # in this order also for NaN
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _give_up(seconds: float) -> None:
    log_failure(TimeoutError(f"the hook did not end within {seconds:g} s"), now=utc_now())
    os._exit(0)
