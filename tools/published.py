"""Check that packages under plugins/ import only what the core publishes.

`python tools/published.py [CHECKOUT]` reads `[tool.unlatch] published` in pyproject.toml: modules
of `unlatch`, and folders with all that is in them. It prints each import of another module, and
each entry that no package needs.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CORE = "unlatch"


def complaints(checkout: Path) -> Iterator[str]:
    """The imports that are not allowed, and the entries without use."""
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    published: list[str] = settings["tool"][CORE]["published"]
    modules = {_name(path, checkout / "core") for path in (checkout / "core").rglob("*.py")}
    used: set[str] = set()
    for path in sorted((checkout / "plugins").rglob("*.py")):
        for line, target in _imports(path, modules):
            entries = {entry for entry in published if _covers(entry, target)}
            used |= entries
            if not entries:
                yield f"{path.relative_to(checkout)}:{line} imports {target}: it is not published"
    yield from (
        f"pyproject.toml publishes {entry}, which no package imports"
        for entry in published
        if entry not in used
    )


def _name(path: Path, source: Path) -> str:
    return ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path, modules: set[str]) -> Iterator[tuple[int, str]]:
    """The modules of the core that a file imports, within functions and for types, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            names = [(alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
        else:
            continue
        for name, module in names:
            if name.partition(".")[0] == CORE:
                yield node.lineno, name if name in modules else module


def _covers(entry: str, module: str) -> bool:
    return module == entry or (entry != CORE and module.startswith(f"{entry}."))


def main(arguments: list[str]) -> int:
    """Print the complaints; the exit code."""
    checkout = Path(arguments[0]) if arguments else Path(__file__).parents[1]
    lines = [*complaints(checkout)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
