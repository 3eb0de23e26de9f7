"""The same part of the benchmarks by another checkout, for the parts that measure in a process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure, NotMeasured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def against(part: str, ours: Sequence[Figure], other: str, *options: str) -> Iterator[Figure]:
    """Our figures of a part, each beside the figure of the same name by the other checkout.

    Args:
        other: the path of its `unlatch`, as `.venv/bin/unlatch` in a checkout.
        options: those of the part.

    Raises:
        NotMeasured: it has no such part, none of its figures, or could not measure it.
    """
    program = Path(other).absolute()
    root = next((at for at in program.parents if (at / "benchmarks").is_dir()), None)
    if root is None:
        raise NotMeasured(f"{other} is in no checkout with benchmarks")
    command = (str(program.with_name("python")), "-m", "benchmarks", part, *options, "--json")
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise NotMeasured(f"{other}: {done.stderr.strip()}")
    theirs: dict[str, dict[str, Any]] = {entry["what"]: entry for entry in json.loads(done.stdout)}
    figures = {figure.what: figure for figure in ours if figure.what in theirs}
    if not figures:
        raise NotMeasured(f"{other} has no figure of the same name")
    for what, figure in figures.items():
        measured = theirs[what]["measured"]
        yield Figure(part, what, figure.measured, figure.unit, measured, None, other)
