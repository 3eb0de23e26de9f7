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

from unlatch.agents.hook import handle_event
from unlatch.agents.hook_event import LARGEST
from unlatch.agents.hook_log import log_failure
from unlatch.cli.terminal import output
from unlatch.project.workspace import utc_now
from unlatch.transport.redact import own_home
from unlatch.worklog.disk.user_files import user_config_file
from unlatch.worklog.programs import search_path

if TYPE_CHECKING:
    from collections.abc import Iterator

# An agent takes exit code 2 as an order to stop, so even a wrong option must not fail.
_TOLERANT = {"ignore_unknown_options": True, "allow_extra_args": True}


@click.command(
    "hook",
    help="Handle a hook event of an agent, read from stdin; always exits with 0. (local)",
    context_settings=_TOLERANT,
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0.1),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Give up after this time, in seconds.",
)
def hook_agents(*, time_limit: float) -> int:
    try:
        with _limited(time_limit):
            answer = _answer()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (an agent must go on)
        log_failure(error, now=utc_now())
    else:
        if answer:
            output.data(json.dumps(answer))
    return 0


def _answer() -> dict[str, Any] | None:
    raw = sys.stdin.buffer.read(LARGEST + 1)
    os.environ["PATH"] = search_path(os.environ.get("PATH"))
    home = own_home() or Path("/")
    return handle_event(raw, environ=os.environ, home=home, user_config=user_config_file())


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """End this process after a time; files stay whole, as after a crash."""
    timer = Timer(seconds, _give_up, (seconds,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _give_up(seconds: float) -> None:
    log_failure(TimeoutError(f"the hook did not end within {seconds:g} s"), now=utc_now())
    os._exit(0)
