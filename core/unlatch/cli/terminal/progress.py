"""A progress bar for work on many items; only at a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Task

# Up to this number each is shown by itself, without a bar.
FEW = 20


@contextmanager
def bar(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Show the progress of work; yields the function to call for each finished piece."""
    if total <= FEW or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console  # noqa: PLC0415  (slow to load, and rarely needed)
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text  # noqa: PLC0415

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f}/s" if speed else "")

    # Piped data stays in the pipe; lines to the terminal are written above the bar.
    progress = Progress(
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()),
        *(Rate(), TimeRemainingColumn()),
        console=Console(stderr=True),
        redirect_stdout=sys.stdout.isatty(),
        transient=True,
    )
    with progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
