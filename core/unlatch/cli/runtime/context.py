"""The session of a command that click runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.runtime.session import Globals, Session

if TYPE_CHECKING:
    from collections.abc import Callable


def with_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """Pass the session to a command's function as its first argument."""

    @click.pass_context
    def run(ctx: click.Context, /, *args: Any, **kwargs: Any) -> Any:
        return function(session_of(ctx), *args, **kwargs)

    return run


def session_of(ctx: click.Context) -> Session:
    """The session of a command, the same one for its arguments and its function."""
    # While a shell completes a command line, the function that makes the options has not run.
    options = ctx.obj or Globals(root=_folder(ctx.find_root().params.get("root")))
    session: Session = ctx.meta.setdefault(__name__, Session(options))
    return session


def _folder(given: str | None) -> Path | None:
    return None if given is None else Path(given)
