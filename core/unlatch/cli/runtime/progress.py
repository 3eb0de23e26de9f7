"""A bar with rate and time left, for work on many items; only at a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Task

# With so many at most, each is told of by itself and nothing has to show that it goes on.
FEW = 20


@contextmanager
def bar(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Show how far the work is; yields what is to be called for each piece that is done."""
    if total <= FEW or not sys.stderr.isatty():
        yield _nobody_looks
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

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    # Data that is piped away stays there; what goes to the terminal is written above the bar.
    progress = Progress(
        *columns, console=Console(stderr=True), redirect_stdout=sys.stdout.isatty(), transient=True
    )
    with progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)


def _nobody_looks() -> None:
    """Nothing is shown."""
