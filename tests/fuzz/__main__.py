"""Fuzz the readers of outside text, guided by the edges that each input reaches.

    python -m tests.fuzz [TARGET...] [--seconds N] [--folder FOLDER]

Prints one JSON document with each target's executions, edges and faults. The inputs that reached
new edges stay in FOLDER, where the next call continues; it may be stopped at any time.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.docs.pages import ROOT
from tests.fuzz.catalog import CATALOG

_WORKER = (sys.executable, "-m", "tests.fuzz.worker")
# Else the seeds give way to shorter inputs with the same edges, which are no JSON.
_WHOLE = "-reduce_inputs=0"
_LIMITS = ("-timeout=20", "-rss_limit_mb=2000", "-max_len=20000", "-print_final_stats=1", _WHOLE)
_EDGES = re.compile(r"^edges: (\d+)$", re.MULTILINE)
_COVERED = re.compile(r"\bcov: (\d+)")
_RUNS = re.compile(r"^stat::number_of_executed_units: (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Piece:
    """One piece of fuzzing a target.

    Args:
        edges: those of the reader that any input has reached, and all.
        faults: all that were ever found and are not repaired, by their names.
        said: the end of libFuzzer's output, where it ended with a failure.
    """

    target: str
    seconds: int
    executions: int
    edges: tuple[int, int]
    faults: tuple[str, ...]
    said: str = ""


def fuzz(target: str, folder: Path, *, seconds: int, planted: bool = False) -> Piece:
    """Fuzz a target for a time; with `planted`, until its planted fault is found."""
    done = subprocess.run(
        [*_WORKER, target, str(folder.absolute()), f"-max_total_time={seconds}", *_LIMITS],
        cwd=ROOT,
        env={**os.environ, "PLANTED": str(int(planted))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    edges, covered, runs = (
        max(map(int, pattern.findall(done.stderr)), default=0)
        for pattern in (_EDGES, _COVERED, _RUNS)
    )
    faults = sorted(path.name for path in folder.glob("faults/*.txt"))
    said = done.stderr[-4000:] if done.returncode else ""
    return Piece(target, seconds, runs, (covered, edges), tuple(faults), said)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(CATALOG))
    parser.add_argument("--seconds", type=int, default=60, help="time for each target")
    parser.add_argument("--folder", type=Path, default=ROOT / ".fuzz")
    options = parser.parse_args()
    pieces = []
    for target in options.targets or CATALOG:
        piece = fuzz(target, options.folder / target, seconds=options.seconds)
        with (options.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(piece)) + "\n")
        pieces.append(piece)
        for name in piece.faults:
            fault = options.folder / target / "faults" / name
            sys.stderr.write(f"{fault}:\n{fault.read_text(encoding='utf-8')}\n")
    failed = [piece.target for piece in pieces if piece.faults or piece.said]
    document = {"failed": failed, "pieces": [asdict(piece) for piece in pieces]}
    print(json.dumps(document, indent=1))  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
