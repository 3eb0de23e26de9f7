"""Check that few variables and parameters have names that say nothing of their role.

`python tools/vague_names.py [CHECKOUT]` counts what code outside of `tests/` binds. More than 5
vague names (`VAGUE` of tools/measure.py) in 1,000 are too many: then it prints the place of each.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from measure import VAGUE, bound_names

FOLDERS = ("core", "plugins", "tools", "benchmarks")
MOST = 5  # in 1,000


def complaints(checkout: Path) -> list[str]:
    """The places of vague names, after their share; empty if that is small enough."""
    bound = [
        (f"{path.relative_to(checkout)}:{line}: {name}", name in VAGUE)
        for folder in FOLDERS
        for path in sorted((checkout / folder).rglob("*.py"))
        for line, name in bound_names(ast.walk(ast.parse(path.read_text("utf-8"), str(path))))
    ]
    vague = [place for place, is_vague in bound if is_vague]
    if 1000 * len(vague) <= MOST * len(bound):
        return []
    count = f"{len(vague):,} of {len(bound):,} names are vague ({', '.join(VAGUE)})"
    return [f"{count}; at most {MOST} in 1,000 may be: name each by its role", *vague]


def main(arguments: list[str]) -> int:
    """Print the complaints; the exit code."""
    checkout = Path(arguments[0]) if arguments else Path(__file__).parents[1]
    lines = complaints(checkout)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
