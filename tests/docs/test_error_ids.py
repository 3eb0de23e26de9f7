"""docs/errors.md has every error that the code can raise, and no other."""

import ast
import gc
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from tests.docs.pages import ROOT

_PAGE = ROOT / "docs/errors.md"
_ROOT_CLASS = "UnlatchError"
_CLASS = re.compile(r"^ *class (\w+)\(([^)]*)\):", re.MULTILINE)
# The nodes at which an id may be.
_KINDS = (
    ast.Assign,
    ast.Call,
    ast.ClassDef,
    ast.FunctionDef,
    ast.List,
    ast.Set,
    ast.Tuple,
    ast.arg,
)


def test_every_error_is_explained() -> None:
    lines = re.findall(r"^- (`[^:]+`): \S", _PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    explained = [name for line in lines for name in re.findall(r"`([^`]+)`", line)]
    assert sorted(set(explained)) == sorted(explained)
    gc.disable()  # which goes over the trees of all modules again and again
    try:
        raised = _ids()
    finally:
        gc.enable()
    missing, invented = raised - set(explained), set(explained) - raised
    assert (set(), set()) == (missing, invented)


def _ids() -> set[str]:
    """The ids that the code passes to errors.

    An error is made as `Rejected("item-locked", ...)`, by `super().__init__("item-locked", ...)`,
    by a function that is given the id, with the constant ERROR_ID of a class, or from a table's
    row, in which the class is followed by the id.
    """
    sources = [path.read_text(encoding="utf-8") for path in _sources()]
    classes = _error_classes(sources)
    # Half of the modules name none of them: parsing those would take most of the time.
    named = re.compile(rf"\b(?:ERROR_ID|{'|'.join(classes)})\b")
    trees = [ast.parse(source) for source in sources if named.search(source)]
    modules = [
        (tree, [node for node in ast.walk(tree) if isinstance(node, _KINDS)]) for tree in trees
    ]
    found: set[str] = set()
    for tree, nodes in modules:
        constants = _constants(tree)
        here = classes | _classes_passed(nodes, classes)
        makers = _makers(nodes, here)
        for node in nodes:
            for value in [*_places_of_ids(node, here), *_passed_to(node, makers)]:
                found |= set(_texts(value, constants))
    return {text for text in found if text.replace("-", "").isalnum() and text == text.lower()}


def _sources() -> Iterator[Path]:
    for folder in ("core", "plugins"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def _error_classes(sources: Sequence[str]) -> set[str]:
    found = {_ROOT_CLASS}
    classes = [
        (name, set(re.findall(r"\w+", bases)))
        for source in sources
        for name, bases in _CLASS.findall(source)
    ]
    while True:
        more = {name for name, bases in classes if bases & found}
        if more <= found:
            return found
        found |= more


def _places_of_ids(node: ast.AST, classes: set[str]) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assign) and _is_name(node.targets[0], {"ERROR_ID"}):
        yield node.value
    if isinstance(node, ast.ClassDef) and node.name in classes:
        yield from _given_to_super(node)
    if isinstance(node, ast.Call) and _is_name(node.func, classes) and node.args:
        yield node.args[0]
    values = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
    for before, value in pairwise(values):
        if _is_name(before, classes):
            yield value


def _makers(nodes: Sequence[ast.AST], classes: set[str]) -> dict[str, int]:
    """The functions that make an error of an id they are given, with the place of that argument."""
    passed = [
        value
        for node in nodes
        for value in _places_of_ids(node, classes)
        if isinstance(value, ast.Name)
    ]
    found: dict[str, int] = {}
    for function in nodes if passed else ():
        if isinstance(function, ast.FunctionDef):
            names = [argument.arg for argument in function.args.args]
            lines = range(function.lineno, (function.end_lineno or 0) + 1)
            for value in passed:
                if value.id in names and value.lineno in lines:
                    found[function.name] = names.index(value.id)
    return found


def _classes_passed(nodes: Sequence[ast.AST], classes: set[str]) -> set[str]:
    """The parameters that take an error's class."""
    return {
        node.arg
        for node in nodes
        if isinstance(node, ast.arg)
        and isinstance(node.annotation, ast.Subscript)
        and _is_name(node.annotation.value, {"type"})
        and _is_name(node.annotation.slice, classes)
    }


def _passed_to(node: ast.AST, makers: dict[str, int]) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from node.args[makers.get(node.func.id, len(node.args)) :][:1]


def _given_to_super(node: ast.ClassDef) -> Iterator[ast.expr]:
    calls = [found for found in ast.walk(node) if isinstance(found, ast.Call) and found.args]
    yield from (call.args[0] for call in calls if ast.unparse(call.func) == "super().__init__")


def _constants(tree: ast.Module) -> dict[str, str]:
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def _texts(value: ast.expr, constants: dict[str, str]) -> Iterator[str]:
    if isinstance(value, ast.IfExp):
        yield from _texts(value.body, constants)
        yield from _texts(value.orelse, constants)
    elif isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.Name) and value.id in constants:
        yield constants[value.id]


def _is_name(node: ast.expr, names: set[str]) -> bool:
    """Whether a node is one of these names, perhaps as an attribute of a module."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
    return name in names
