"""Measure a checkout: sizes of packages and rooms, arrows between them, names, tests and words.

`python tools/measure.py [CHECKOUT]` reads the files of any checkout and imports nothing of it.
A room is a module or folder of a package. An arrow says that a room imports another, for types or
within a function too; it points up if the layers in pyproject.toml do not allow it. The conformance
kit counts as a package of its own, wherever it lies. With --resume, the checkout's own interpreter
(.venv) also reopens an increment of three items, and tells how much of the code that enters.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

CORE = "unlatch"
KIT = "unlatch.testing"
# Where CONTRIBUTING.md of a checkout names no files and folders to read.
READING_PATH = ("delivery", "lifecycle", "increments/model", "increments/records", "spi")
VAGUE = ("one", "found", "it", "made", "known", "shown", "some")
MOST_MODULES = 15
_SOURCES = ("core", "plugins")
_NOT_OURS = {"node_modules", "__pycache__", "build", "dist", "site"}
_WATCH = Path(__file__).with_name("entered_by_resume.py")


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file.

    Args:
        name: dotted; a package's own has the name of the package.
        is_package: whether the file is an `__init__.py`.
        import_lines: the lines of its import statements.
        imports: the dotted names that it imports, modules or what stands in them.
        bound: how often it binds each name of a variable or parameter.
    """

    name: str
    folder: Path
    is_package: bool
    lines: int
    statements: int
    import_lines: int
    imports: frozenset[str]
    bound: Counter[str]

    @classmethod
    def read(cls, path: Path, source: Path) -> Module:
        """Read and parse a file below a folder of packages.

        Raises:
            SyntaxError: it is not Python.
        """
        parts = path.relative_to(source).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        text = path.read_text(encoding="utf-8")
        nodes = [*ast.walk(ast.parse(text, str(path)))]
        imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        package = parts[:-1]
        return cls(
            name,
            path.parent,
            is_package,
            len(text.splitlines()),
            sum(isinstance(node, ast.stmt) for node in nodes),
            sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in imports),
            frozenset(target for node in imports for target in _targets(node, package)),
            Counter(name for _, name in bound_names(nodes)),
        )

    def is_below(self, package: str) -> bool:
        return self.name == package or self.name.startswith(f"{package}.")


def bound_names(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """The variables and parameters that code binds, each with its line."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.lineno, node.name


def _targets(node: ast.Import | ast.ImportFrom, package: tuple[str, ...]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    above = package[: len(package) - node.level + 1] if node.level else ()
    origin = ".".join([*above, *([node.module] if node.module else [])])
    yield from (f"{origin}.{alias.name}" for alias in node.names)


def measured(checkout: Path) -> dict[str, Any]:
    """The figures of a checkout.

    Raises:
        FileNotFoundError: it has no core/unlatch, or no pyproject.toml.
    """
    modules = [
        Module.read(path, checkout / source)
        for source in _SOURCES
        for path in _files(checkout / source, ".py")
    ]
    core = [module for module in modules if module.is_below(CORE) and not module.is_below(KIT)]
    if not core:
        raise FileNotFoundError(f"{checkout}: no Python files in core/{CORE}")
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings.get("tool", {}).get("importlinter", {}).get("contracts", [])
    return {
        **_sizes(modules, core),
        **_arrows(modules, contracts),
        f"folders with more than {MOST_MODULES} modules": _large_folders(modules, checkout),
        **_of_code(modules, core),
        "lines of the reading path": _lines(reading_path(checkout)),
        **_of_files(checkout),
    }


def _sizes(modules: list[Module], core: list[Module]) -> dict[str, Any]:
    rooms = _by(core, lambda module: _below(module.name, CORE) or CORE)
    sizes = {name: _size(rooms[name]) for name in sorted(rooms)}
    whole = _size(core)
    largest = max(size["lines"] for size in sizes.values())
    return {
        "core": whole,
        "rooms": sizes,
        "packages": {name: _size(inside) for name, inside in sorted(_packages(modules).items())},
        "largest room, share of the core": round(largest / whole["lines"], 3),
    }


def _of_code(modules: list[Module], core: list[Module]) -> dict[str, Any]:
    lines = sum(module.lines for module in core)
    bound = sum((module.bound for module in core), Counter[str]())
    return {
        "lines of imports, share of the core": round(
            sum(module.import_lines for module in core) / lines, 3
        ),
        "vague names in 1,000": {
            name: round(1000 * bound[name] / max(1, bound.total()), 1) for name in VAGUE
        },
        "lines of the command line": sum(
            module.lines for module in modules if _is_command_line(module)
        ),
    }


def _of_files(checkout: Path) -> dict[str, int]:
    return {
        "lines of tests": _lines(_files(checkout / "tests", ".py")),
        "lines without tests": _lines(
            path
            for path in _files(checkout, ".py")
            if path.relative_to(checkout).parts[0] != "tests"
        ),
        "words of docs and README, without ADRs": _words(checkout),
    }


def reading_path(checkout: Path) -> list[Path]:
    """The files to read first, in the order in which CONTRIBUTING.md names them or their folders.

    Raises:
        FileNotFoundError: it names one that does not exist.
    """
    guide = checkout / "CONTRIBUTING.md"
    text = guide.read_text(encoding="utf-8") if guide.exists() else ""
    section = re.search(
        r"^## The order to read it in$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    named = re.findall(r"`(core/[^`]+)`", section[1] if section else "")
    files: dict[Path, None] = {}
    for name in named or [f"core/{CORE}/{room}" for room in READING_PATH]:
        place = checkout / name
        if named and not place.exists():
            raise FileNotFoundError(f"CONTRIBUTING.md names {name}, which does not exist")
        module = place if place.suffix else place.with_suffix(".py")
        files |= dict.fromkeys([module] if module.is_file() else _files(place, ".py"))
    return [*files]


def _files(folder: Path, suffix: str) -> Iterator[Path]:
    """The files below a folder, without those of tools, builds and virtual environments."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _NOT_OURS and not name.startswith(".")
        )
        yield from (Path(place, name) for name in sorted(names) if name.endswith(suffix))


def _by(modules: Iterable[Module], key: Any) -> dict[str, list[Module]]:
    groups: dict[str, list[Module]] = defaultdict(list)
    for module in modules:
        groups[key(module)].append(module)
    return groups


def _below(name: str, package: str) -> str:
    """The child of a package that a dotted name belongs to; empty for the package itself."""
    return name.removeprefix(f"{package}.").partition(".")[0] if name != package else ""


def _packages(modules: Iterable[Module]) -> dict[str, list[Module]]:
    return _by(
        modules,
        lambda module: KIT if module.is_below(KIT) else module.name.partition(".")[0],
    )


def _size(modules: Iterable[Module]) -> dict[str, int]:
    sized = [(module.lines, module.statements) for module in modules]
    lines, statements = (sum(column) for column in zip(*sized, strict=True))
    return {"lines": lines, "statements": statements, "modules": len(sized)}


def _is_command_line(module: Module) -> bool:
    return not {"cli", "commands"}.isdisjoint(module.name.split("."))


def _large_folders(modules: Iterable[Module], checkout: Path) -> dict[str, int]:
    counts = Counter(module.folder for module in modules if not module.is_package)
    return {
        str(folder.relative_to(checkout)): count
        for folder, count in counts.most_common()
        if count > MOST_MODULES
    }


def _lines(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def _words(checkout: Path) -> int:
    pages = [
        page
        for page in _files(checkout / "docs", ".md")
        if page.relative_to(checkout / "docs").parts[0] != "adr"
    ]
    pages += [page for page in (checkout / "README.md",) if page.exists()]
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


# Arrows


def _arrows(modules: list[Module], contracts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    names = {module.name for module in modules}
    pairs = {
        (module.name, origin)
        for module in modules
        for target in module.imports
        if (origin := _module_of(target, names)) is not None
    }
    of_core = _between(pairs, CORE)
    up = [
        f"{importer} -> {imported}"
        for contract in contracts
        if contract["type"] == "layers"
        for package in contract.get("containers", [""])
        for importer, imported in _upward(_between(pairs, package), contract["layers"], package)
    ]
    parents = {name.rpartition(".")[0] for name in names} | {""}
    cycles = [circle for parent in parents for circle in _cycles(_between(pairs, parent))]
    return {
        "arrows between rooms of the core": len(of_core),
        "arrows up": sorted(up),
        "cycles": sorted(cycles),
    }


def _module_of(target: str, names: set[str]) -> str | None:
    """The module that an imported name is, or stands in; None outside of the packages."""
    for name in (target, target.rpartition(".")[0]):
        if name in names:
            return name
    return None


def _between(pairs: Iterable[tuple[str, str]], package: str) -> set[tuple[str, str]]:
    """The arrows between different children of a package, by their names."""
    inside = f"{package}." if package else ""
    arrows = {
        (inside + _below(importer, package), inside + _below(imported, package))
        for importer, imported in pairs
        if importer.startswith(inside) and imported.startswith(inside)
    }
    return {(importer, imported) for importer, imported in arrows if importer != imported}


def _upward(
    arrows: Iterable[tuple[str, str]], layers: Iterable[str], package: str
) -> Iterator[tuple[str, str]]:
    inside = f"{package}." if package else ""
    ranks = {
        f"{inside}{room.strip(' ()')}": rank
        for rank, layer in enumerate(layers)
        for room in layer.replace(":", "|").split("|")
    }
    for importer, imported in arrows:
        if importer in ranks and imported in ranks and ranks[importer] >= ranks[imported]:
            yield importer, imported


def _cycles(arrows: Iterable[tuple[str, str]]) -> list[str]:
    """Each group of names that lead to one another, as text."""
    next_to: dict[str, set[str]] = defaultdict(set)
    for importer, imported in arrows:
        next_to[importer].add(imported)
    reached = {name: _reached(name, next_to) for name in next_to}
    circles = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
        for name in reached
        if name in reached[name]
    }
    return [" <-> ".join(circle) for circle in circles]


def _reached(name: str, next_to: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        fresh = next_to.get(waiting.pop(), set()) - reached
        reached |= fresh
        waiting += fresh
    return reached


# Output


def _entered(checkout: Path) -> dict[str, int]:
    """How much of the code a resume of three items enters, by the checkout's own interpreter."""
    done = subprocess.run(  # noqa: S603  # a program of the checkout that was named
        [checkout / ".venv" / "bin" / "python", _WATCH],
        cwd=checkout,
        stdout=subprocess.PIPE,
        check=True,
    )
    figures: dict[str, int] = json.loads(done.stdout)
    return figures


def text(figures: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """The figures as lines, nested ones below their names."""
    for name, value in figures.items():
        if isinstance(value, dict) and value and all(isinstance(v, int) for v in value.values()):
            inner = ", ".join(f"{count:,} {key}" for key, count in value.items())
            yield f"{indent}{name}: {inner}"
        elif isinstance(value, dict) and value:
            yield f"{indent}{name}:"
            yield from text(value, f"{indent}  ")
        elif isinstance(value, list | dict):
            yield f"{indent}{name}: {len(value)}"
            yield from (f"{indent}  {item}" for item in value)
        else:
            yield f"{indent}{name}: {value:,}"


def main(arguments: list[str]) -> int:
    """Print the figures; the exit code."""
    parser = argparse.ArgumentParser(prog="tools/measure.py", description=__doc__)
    parser.add_argument("checkout", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--resume", action="store_true", help="also watch a resume of three items")
    options = parser.parse_args(arguments)
    checkout = options.checkout.resolve()
    try:
        figures = measured(checkout)
        if options.resume:
            figures |= {"entered by a resume of three items": _entered(checkout)}
    except (OSError, SyntaxError, subprocess.CalledProcessError) as error:
        parser.exit(1, f"cannot be measured: {error}\n")
    output = json.dumps(figures, indent=2) if options.json else "\n".join(text(figures))
    sys.stdout.write(f"{output}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
