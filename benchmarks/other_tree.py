"""The same part of the benchmarks by another checkout, for the parts that measure in a process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure, NotMeasured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def against(part: str, ours: Sequence[Figure], other: str) -> Iterator[Figure]:
    """Our figures of a part, each beside the figure of the same name by the other checkout.

    Args:
        other: the path of its `unlatch`, as `.venv/bin/unlatch` in a checkout.

    Raises:
        NotMeasured: it has no such part, or could not measure it.
    """
    program = Path(other).absolute()
    root = next((at for at in program.parents if (at / "benchmarks").is_dir()), None)
    if root is None:
        raise NotMeasured(f"{other} is in no checkout with benchmarks")
    command = (str(program.with_name("python")), "-m", "benchmarks", part, "--json")
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise NotMeasured(f"{other}: {done.stderr.strip()}")
    theirs: dict[tuple[str, str], dict[str, Any]] = {
        (entry["what"], entry["baseline"]): entry for entry in json.loads(done.stdout)
    }
    for figure in ours:
        if entry := theirs.get((figure.what, figure.baseline)):
            measured = figure.measured, entry["measured"]
            yield Figure(part, figure.what, measured[0], figure.unit, measured[1], None, other)
