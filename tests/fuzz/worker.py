"""Fuzz one target in this process, until libFuzzer ends it.

`python -m tests.fuzz.worker TARGET FOLDER [OPTION...]`; options are libFuzzer's. New inputs are
kept in FOLDER/corpus, and each fault in FOLDER/faults, once for its place in the source and until
it is repaired.
"""

import ast
import os
import re
import sys
import traceback
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from random import Random
from typing import Any

import atheris
from atheris.import_hook import AtherisSourceFileLoader
from tests.fuzz.catalog import CATALOG
from tests.fuzz.mutations import mutated
from tests.fuzz.target import Target

# No prose.
_WORD = re.compile(r"[^\s,|]{2,40}")


class Planted(Exception):
    """Ends a process at the planted fault of a target."""


class _Finder(MetaPathFinder):
    """Instruments the modules of some packages when they are imported."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages = packages

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if not fullname.startswith(self._packages):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = AtherisSourceFileLoader(fullname, spec.loader.path, trace_dataflow=True)
        return spec


def load(name: str) -> Target:
    """A target, with its reader instrumented."""
    module, packages = CATALOG[name]
    atheris.enabled_hooks.add("str")
    sys.meta_path.insert(0, _Finder(packages))
    return import_module(f"tests.fuzz.readers.{module}").TARGETS[name]  # type: ignore[no-any-return]


def _words(name: str) -> list[str]:
    """The texts in the source of a target's reader, which its inputs may have to contain."""
    _, packages = CATALOG[name]
    modules = [sys.modules[module] for module in sys.modules if module.startswith(packages)]
    trees = [ast.parse(Path(one.__file__).read_bytes()) for one in modules if one.__file__]
    constants = (
        node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)
    )
    return sorted({text for text in constants if isinstance(text, str) and _WORD.fullmatch(text)})


def _write_dictionary(words: list[str], path: Path) -> None:
    def quoted(word: str) -> str:
        escaped = (
            f"\\x{byte:02x}" if byte in b'"\\' or not 32 <= byte < 127 else chr(byte)
            for byte in word.encode("utf-8", "surrogatepass")
        )
        return f'"{"".join(escaped)}"\n'

    path.write_text("".join(map(quoted, words)), encoding="ascii")


def _write_seeds(target: Target, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds():
        target.read(seed)  # loads what is only loaded when it is needed
        (folder / sha256(seed).hexdigest()[:16]).write_bytes(seed)


def _keep(folder: Path, data: bytes, error: Exception) -> None:
    """Keep a fault, unless another one in the same place is kept."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((one for one in reversed(frames) if "/unlatch" in one.filename), frames[-1])
    name = f"{type(error).__name__}-{Path(place.filename).stem}-{place.lineno}"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / name).exists():
        (folder / name).write_bytes(data)
        (folder / f"{name}.txt").write_text(traceback.format_exc(), encoding="utf-8")


def _forget_repaired(target: Target, faults: Path) -> None:
    for path in [path for path in faults.glob("*") if path.suffix != ".txt"]:
        with suppress(Exception):
            target.read(path.read_bytes())
            path.unlink()
            path.with_name(f"{path.name}.txt").unlink()


def main(name: str, place: str, *options: str) -> None:
    """Fuzz a target; with PLANTED=1 in the environment, stop at its planted fault."""
    target, folder = load(name), Path(place)
    _write_seeds(target, folder / "seeds")
    _forget_repaired(target, folder / "faults")
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    # Counters have numbers from 0, one for each edge.
    sys.stderr.write(f"edges: {atheris._reserve_counter()}\n")
    words = _words(name)
    _write_dictionary(words, folder / "words.dict")
    is_planted = os.environ.get("PLANTED") == "1"

    def run(data: bytes) -> None:
        try:
            result = target.read(data)
        except Exception as error:  # noqa: BLE001  (any is a fault)
            _keep(folder / "faults", data, error)
            return
        if is_planted and target.planted(result):
            (folder / "planted").write_bytes(data)
            raise Planted

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.5:
            return atheris.Mutate(data, most)  # type: ignore[no-any-return]
        return mutated(data, words, random)[:most]

    atheris.Setup(
        [
            sys.argv[0],
            f"-dict={folder / 'words.dict'}",
            f"-artifact_prefix={folder}/",
            *options,
            str(folder / "corpus"),
            str(folder / "seeds"),
        ],
        run,
        custom_mutator=mutate,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
