"""Measure the code: what one resume enters, modules per folder, sizes of functions, words.

`python tools/measure.py` prints the figures of the tree that is imported, as JSON. "Lines" leaves
out the sandbox and the conformance kit. A room is a module or folder of a package; an arrow says
that one room imports another, for types or within a function too. Arrows up are those against the
layers in pyproject.toml.
"""

from __future__ import annotations

import ast
import json
import os
import re
import statistics
import sys
import tempfile
import threading
import tomllib
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import grimp
import requests

import unlatch
from unlatch.cli.main import run
from unlatch_sandbox import Sandbox
from unlatch_sandbox.demo import seed

if TYPE_CHECKING:
    from types import FrameType

REASON = "Bug discovered in error handling"
CORE = Path(unlatch.__file__).parent


class Watch:
    """Which of our functions run, and how deep the stack is when the first write leaves."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, int]] = set()
        self.frames: int | None = None

    def profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        """Note each call of a function of ours."""
        if event == "call" and _is_ours(frame.f_code.co_filename):
            self.functions.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    def sent(self, request: requests.PreparedRequest) -> None:
        """Note the stack at the first PATCH."""
        if self.frames is None and request.method == "PATCH":
            frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # that is what it is for
            self.frames = 0
            while frame is not None:
                self.frames += _is_ours(frame.f_code.co_filename)
                frame = frame.f_back


def main() -> int:
    """Print the figures; the exit code."""
    watch = _watched_resume()
    modules = [Module.read(path) for path in sorted(CORE.rglob("*.py"))]
    sizes = sorted(size for module in modules for size in module.functions)
    lines = Counter[str]()
    for module in modules:
        lines[module.package] += module.lines
    folders = Counter(str(module.path.parent.relative_to(CORE)) for module in modules)
    words = [word for module in modules for word in module.words]
    sizeable = {name: count for name, count in lines.items() if name != "testing"}
    figures = {
        "functions entered by one resume of three items": len(watch.functions),
        "modules entered": len({name for name, _ in watch.functions}),
        "own frames at the first PATCH": watch.frames,
        "lines": sum(sizeable.values()),
        "lines by package": dict(lines.most_common()),
        "rooms, arrows, arrows up": _arrows(),
        "modules in the largest folders": dict(folders.most_common(5)),
        "lines of a function": {
            "median": statistics.median(sizes),
            "90th percentile": statistics.quantiles(sizes, n=10)[-1],
        },
        "share of imports in lines": round(
            sum(module.imports for module in modules) / lines.total(), 3
        ),
        "'what' in 1,000 words of docstrings": round(1000 * words.count("what") / len(words), 1),
    }
    click.echo(json.dumps(figures, indent=1))
    return 0


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the core.

    Args:
        lines: all of them.
        imports: those that import.
        functions: the lines of each function.
        words: those of its docstrings.
    """

    path: Path
    lines: int
    imports: int
    functions: tuple[int, ...]
    words: tuple[str, ...]

    @property
    def package(self) -> str:
        """The package below the core that it belongs to."""
        return self.path.relative_to(CORE).parts[0]

    @classmethod
    def read(cls, path: Path) -> Module:
        """Read and parse a file."""
        text = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text)))
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        docs = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented)]
        imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        return cls(
            path,
            len(text.splitlines()),
            sum(_lines_of(node) for node in imports),
            tuple(map(_lines_of, functions)),
            tuple(re.findall(r"[a-z']+", " ".join(docs).lower())),
        )


def _lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _arrows() -> dict[str, tuple[int, int, int]]:
    """Rooms, arrows between them and arrows up, of each package whose layers are declared."""
    settings = tomllib.loads((CORE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    graph = grimp.build_graph("unlatch", cache_dir=None)
    found = {}
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            ranks = {
                room.strip(): rank
                for rank, layer in enumerate(contract["layers"])
                for room in layer.split("|")
            }
            for package in contract["containers"]:
                arrows = _arrows_in(graph, package)
                up = [one for one in arrows if ranks[one[0]] >= ranks[one[1]]]
                found[package] = (len(graph.find_children(package)), len(arrows), len(up))
    return found


def _arrows_in(graph: grimp.ImportGraph, package: str) -> set[tuple[str, str]]:
    def room(module: str) -> str:
        return module.removeprefix(f"{package}.").partition(".")[0]

    inside = [module for module in graph.modules if module.startswith(f"{package}.")]
    pairs = {
        (room(one), room(other))
        for one in inside
        for other in graph.find_modules_directly_imported_by(one)
        if other.startswith(f"{package}.")
    }
    return {(one, other) for one, other in pairs if one != other}


def _watched_resume() -> Watch:
    watch = Watch()
    with tempfile.TemporaryDirectory() as folder, Sandbox() as box:
        _prepare(Path(folder), box)
        send = requests.Session.send

        def noted(session: requests.Session, request: Any, **options: Any) -> requests.Response:
            watch.sent(request)
            return send(session, request, **options)

        requests.Session.send = noted  # type: ignore[method-assign, assignment]  # watched
        threading.setprofile(watch.profile)
        sys.setprofile(watch.profile)
        try:
            code, said = _run("resume", "1", "--reason", REASON, "--yes")
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            requests.Session.send = send  # type: ignore[method-assign]  # as it was
    if code:
        raise SystemExit(said)
    return watch


def _prepare(folder: Path, box: Sandbox) -> None:
    os.environ.update(box.environ(), HOME=str(folder), XDG_STATE_HOME=str(folder / "state"))
    os.chdir(folder)
    (folder / ".unlatch" / "increments").mkdir(parents=True)
    (folder / ".unlatch" / "config.toml").write_text(box.config(), encoding="utf-8")
    link = ("link", "1", *seed(box).urls)
    for words in (("new", "Watched"), link, ("start", "1"), ("complete", "1")):
        code, said = _run(*words)
        if code:
            raise SystemExit(said)


def _run(*words: str) -> tuple[int, str]:
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = run(list(words))
    return code, said.getvalue()


def _is_ours(file: str) -> bool:
    return "/unlatch" in file and "/unlatch_sandbox/" not in file and "site-packages" not in file


if __name__ == "__main__":
    sys.exit(main())
