"""How many small mistakes in a package do its tests notice?

    python tools/mutation.py [--package NAME]... [--sample N] [--seed S] [--jobs N] [--show]
    python tools/mutation.py --file PATH... --tests PATH... [--record FILE | --compare FILE]

Draws a sample of the mutants that cosmic-ray makes of a package (a comparison turned round, a
number off by one, an `and` for an `or`), runs the package's fast tests against each of them, and
prints one row a package: how many mutants were killed. A mutant that runs out of time is killed.
`--show` prints those that survived.

With `--file`, the same for some files: the tests run once with a tracer, and each mutant meets only
the tests that run its line. `--record` keeps which mutants were killed; after a change of the tests
`--compare` prints those that live now, and exits with 1 if there are any.

cosmic-ray gives the operators alone. It would write each mutant over the file in the working tree
and start pytest anew; here each mutant is a fork of one process that has the libraries loaded, and
only that fork's imports see it. Annotations are left alone: nothing evaluates them.

Needs `pip install --group mutation`.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import FrameType

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core"
# The fast tests of each package: those beside it, and those of the commands that are made of it.
TESTS = {
    "worklog": ("tests/worklog", "tests/increments/files"),
    "increments": ("tests/increments",),
    "delivery": ("tests/delivery/unit", "tests/delivery/test_next_step.py"),
    "efforts": ("tests/unlatch_efforts", "tests/cli/efforts"),
    "sync": (
        "tests/sync",
        "tests/cli/trackers/test_sync.py",
        "tests/cli/trackers/test_sync_followers.py",
    ),
}
OPERATORS = (
    *("AddNot", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceUnaryOperator_Delete_Not"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "NumberReplacer"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop"),
    *("ExceptionReplacer", "ReplaceBinaryOperator_Add_Sub", "ReplaceBinaryOperator_Sub_Add"),
    *("ReplaceBinaryOperator_BitOr_BitAnd", "ReplaceBinaryOperator_BitAnd_BitOr"),
    *(f"ReplaceComparisonOperator_{a}_{b}" for a, b in (("Eq", "NotEq"), ("NotEq", "Eq"))),
    *(f"ReplaceComparisonOperator_{a}_{b}" for a, b in (("Lt", "LtE"), ("LtE", "Lt"))),
    *(f"ReplaceComparisonOperator_{a}_{b}" for a, b in (("Gt", "GtE"), ("GtE", "Gt"))),
    *(f"ReplaceComparisonOperator_{a}_{b}" for a, b in (("Is", "IsNot"), ("IsNot", "Is"))),
)
# Loaded once, before any mutant: all that tests import beside unlatch.
LIBRARIES = (
    *("azure.devops.v7_1.work_item_tracking", "click", "flask", "github", "github.Issue", "jira"),
    *("hypothesis.stateful", "jsonschema", "keyring", "pydantic", "pytest", "requests"),
    *("rich.console", "rich.progress", "rich.table", "tomlkit", "unlatch_sandbox", "yaml"),
)


@dataclass(frozen=True)
class Mutant:
    """One mistake: the `occurrence`-th place in a module where an operator applies."""

    path: Path
    operator: str
    occurrence: int
    line: int

    @property
    def module(self) -> str:
        top = CORE if self.path.is_relative_to(CORE) else ROOT / "plugins"
        name = ".".join(self.path.relative_to(top).with_suffix("").parts)
        return name.removesuffix(".__init__")

    @property
    def id(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} {self.operator} {self.occurrence}"

    @property
    def code(self) -> str:
        from cosmic_ray.mutating import mutate_code

        mutated: str = mutate_code(self.path.read_text(), _operator(self.operator), self.occurrence)
        return mutated


class _Importer(SourceFileLoader):
    """Finds and loads one module, as a mutant has it."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(mutant.path))
        self._code = mutant.code

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, fullname: str | None = None) -> Any:
        return compile(self._code, self.path, "exec")


def mutants(paths: Iterable[Path]) -> Iterator[Mutant]:
    """All mutants of some files."""
    from cosmic_ray.ast import ast_nodes, get_ast

    operators = {name: _operator(name) for name in OPERATORS}
    for path in sorted(paths):
        source = path.read_text()
        spared, numbers = _annotations(source), dict.fromkeys(operators, 0)
        for node in ast_nodes(get_ast(source)):
            for name, operator in operators.items():
                for (line, column), _ in operator.mutation_positions(node):
                    if not any(first <= (line, column) < last for first, last in spared):
                        yield Mutant(path, name, numbers[name], line)
                    numbers[name] += 1


def _operator(name: str) -> Any:
    from cosmic_ray.plugins import get_operator

    return get_operator(f"core/{name}")()


def _annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the annotations begin and end, and what only a type checker imports."""
    spared: list[ast.AST | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign | ast.arg):
            spared.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            spared.append(node.returns)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            spared.append(node)
    return [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))  # type: ignore[attr-defined]
        for node in spared
        if node is not None
    ]


class _Lines:
    """A pytest plugin that notes which tests run which lines of some files."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = {str(path) for path in paths}
        self._test: str | None = None  # None while modules are imported
        self.tests: dict[str, set[str | None]] = defaultdict(set)

    def trace(self, frame: FrameType, _event: str, _argument: object) -> Callable[..., Any] | None:
        return self._line if frame.f_code.co_filename in self._paths else None

    def _line(self, frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        if event == "line":
            self.tests[f"{frame.f_code.co_filename}:{frame.f_lineno}"].add(self._test)
        return self._line

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._test = nodeid

    def run(self, tests: Sequence[str], to: Path) -> int:
        threading.settrace(self.trace)
        sys.settrace(self.trace)
        code = _pytest([*tests], self)
        sys.settrace(None)
        to.write_text(json.dumps({line: list(ids) for line, ids in self.tests.items()}))
        return code


def lines_of_tests(paths: Sequence[Path], tests: Sequence[str]) -> Mapping[str, list[str | None]]:
    """For each line of some files, `PATH:LINE`, the ids of the tests that run it.

    None stands for all: the line runs while its module is imported.
    """
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "lines.json"
        child = os.fork()
        if child == 0:
            code = 1
            try:
                _silence()
                code = _Lines(paths).run(tests, kept)
            finally:
                os._exit(code)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
            sys.exit(f"the tests fail without any mutant: {' '.join(tests)}")
        lines: dict[str, list[str | None]] = json.loads(kept.read_text())
        return lines


def survivors(
    tried: Sequence[Mutant | None],
    tests: Callable[[Mutant | None], Sequence[str]],
    *,
    seconds: float,
    jobs: int,
) -> list[Mutant | None]:
    """Those that their tests pass against, each in a fork of this process."""
    waiting, alive = list(tried), []
    running: dict[int, tuple[Mutant | None, float]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            child = os.fork()
            if child == 0:
                _run_tests(mutant, tests(mutant))
            running[child] = mutant, time.monotonic() + seconds
        time.sleep(0.02)
        for child, (mutant, end) in list(running.items()):
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                del running[child]
                if os.waitstatus_to_exitcode(status) == 0:
                    alive.append(mutant)
    return alive


def _run_tests(mutant: Mutant | None, tests: Sequence[str]) -> None:
    code = 1
    try:
        _silence()
        if mutant:
            sys.meta_path.insert(0, _Importer(mutant))
        code = _pytest(["-x", *tests]) if tests else 0
    finally:
        os._exit(code)


def _silence() -> None:
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _pytest(arguments: list[str], *plugins: object) -> int:
    import pytest

    # Its plugins are loaded before it, and would be rewritten.
    ignored = "ignore::pytest.PytestAssertRewriteWarning"
    return pytest.main(["-q", "-p", "no:cacheprovider", "-W", ignored, *arguments], [*plugins])


def _try_package(package: str, options: argparse.Namespace) -> None:
    began, tests = time.monotonic(), TESTS[package]
    if not survivors([None], lambda _: tests, seconds=600, jobs=1):
        sys.exit(f"the tests of {package} fail without any mutant: {' '.join(tests)}")
    limit = 3 * (time.monotonic() - began) + 10
    every = list(mutants(_folder(package).rglob("*.py")))
    drawn = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    alive = survivors(drawn, lambda _: tests, seconds=limit, jobs=options.jobs)
    _print_row(package, len(every), drawn, alive, time.monotonic() - began, show=options.show)


def _folder(package: str) -> Path:
    """The folder of a package of the core, or of one beside it."""
    beside = ROOT / "plugins" / f"unlatch_{package}"
    return beside if beside.is_dir() else CORE / "unlatch" / package


def _try_files(paths: list[Path], options: argparse.Namespace) -> list[str]:
    """Try mutants of some files; return the ids of those that were killed."""
    began = time.monotonic()
    lines = lines_of_tests(paths, options.tests)
    limit = 3 * (time.monotonic() - began) + 10

    def tests(mutant: Mutant | None) -> Sequence[str]:
        ids = lines.get(f"{mutant.path}:{mutant.line}", []) if mutant else [None]
        return options.tests if None in ids else [id_ for id_ in ids if id_]

    killed: list[str] = []
    for path in paths:
        began, every = time.monotonic(), list(mutants([path]))
        drawn = random.Random(options.seed).sample(every, min(options.sample, len(every)))
        alive = survivors(drawn, tests, seconds=limit, jobs=options.jobs)
        seconds, name = time.monotonic() - began, str(path.relative_to(ROOT))
        _print_row(name, len(every), drawn, alive, seconds, show=options.show)
        killed += [mutant.id for mutant in drawn if mutant not in alive]
    return killed


def _print_row(
    name: str,
    every: int,
    drawn: Sequence[Mutant],
    alive: Sequence[Mutant | None],
    seconds: float,
    *,
    show: bool,
) -> None:
    killed = len(drawn) - len(alive)
    score = killed / len(drawn) if drawn else 1
    counts = f"{every:>8}{len(drawn):>8}{killed:>8}{score:>7.0%}"
    print(f"{name:<12}{counts}{seconds:>9.0f}", flush=True)
    for mutant in filter(None, alive if show else ()):
        print(f"  {mutant.id}")


def main() -> None:
    """Print the table; survivors lower the score, and fail only a comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--package", action="append", choices=TESTS, help="all of them by default")
    parser.add_argument("--file", nargs="+", type=Path, help="files instead of packages")
    parser.add_argument("--tests", nargs="+", help="the tests of these files")
    parser.add_argument("--record", type=Path, help="write the mutants killed to this file")
    parser.add_argument("--compare", type=Path, help="print the mutants killed there and alive now")
    parser.add_argument("--sample", type=int, default=60, help="mutants of each package or file")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--jobs", type=int, default=2, help="how many run at once")
    parser.add_argument("--show", action="store_true", help="print the mutants that survived")
    options = parser.parse_args()
    if bool(options.file) is not bool(options.tests):
        parser.error("--file and --tests go together")
    os.chdir(ROOT)
    for name in ("UNLATCH_SPECS", "UNLATCH_CORPUS", "UNLATCH_SAMPLES"):
        os.environ.pop(name, None)  # what takes them is thorough, not fast
    # This tree's, whichever is installed; in processes that tests start, too.
    sys.path[:1] = [str(ROOT), str(CORE), str(ROOT / "plugins")]
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[1:3])
    for name in LIBRARIES:
        importlib.import_module(name)
    print(f"{'package':<12}{'mutants':>8}{'sample':>8}{'killed':>8}{'score':>7}{'seconds':>9}")
    if not options.file:
        for package in options.package or TESTS:
            _try_package(package, options)
        return
    killed = _try_files([ROOT / path for path in options.file], options)
    if options.record:
        options.record.write_text(json.dumps(killed, indent=1) + "\n")
    if options.compare:
        lost = sorted({*json.loads(options.compare.read_text())} - {*killed})
        print(*(f"lost: {mutant}" for mutant in lost), sep="\n")
        sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
