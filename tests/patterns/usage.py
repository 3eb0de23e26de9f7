"""The regular expressions of the program, each with the methods that use it.

An expression that is built when it is used is that of the values in `VALUES`; TypeError if it has
none there.
"""

import ast
import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.docs.pages import ROOT
from tests.patterns.values import VALUES, patterns_in

METHODS = frozenset(("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"))
_MAKES = re.compile(r"\bre\.|\bpattern\b")
# The position of the flags among the arguments of a function of re.
_FLAGS = {"sub": 4, "subn": 4, "split": 3}
# Of an expression that is handed on, or is one of several.
_ANY = ("search", "match", "fullmatch")


@dataclass(frozen=True)
class Use:
    """An expression, and a method that uses it.

    Args:
        place: the module, and the name of the expression or of the function with it.
    """

    place: str
    regex: str | bytes
    flags: int
    method: str

    def __str__(self) -> str:
        return f"{self.place}.{self.method}"


@dataclass(frozen=True)
class _Module:
    name: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @property
    def values(self) -> dict[str, Any]:
        return {**vars(importlib.import_module(self.name)), "re": re}


@cache
def all_uses() -> tuple[Use, ...]:
    """The uses of all expressions."""
    modules = [*_modules()]
    called = _called(modules)
    uses: dict[Use, None] = {}
    for module in modules:
        calls = [(node, method) for node in module.nodes if (method := _method(node))]
        names = _named(module.nodes) if calls else {}
        for call, method in calls:
            assert isinstance(call, ast.Call)
            name = names.get(id(call), "")
            known = called.get((module.name, name)) or called.get(("", name)) or set(_ANY)
            for regex, flags in _compiled(module, call, method, name):
                for one in [method] if method != "compile" else sorted(known):
                    uses[Use(f"{module.name}.{name}", regex, flags, one)] = None
    return tuple(uses)


def _compiled(
    module: _Module, call: ast.Call, method: str, name: str
) -> list[tuple[str | bytes, int]]:
    """The expressions of a call, with their flags."""
    values = module.values
    if (local := VALUES.get(f"{module.name}.{name}")) is not None:
        return [_value(call, method, {**values, **names}) for names in local(values)]
    try:
        return [_value(call, method, values)]
    except (NameError, TypeError) as error:
        if kept := [*patterns_in(values.get(name))]:
            return kept
        raise TypeError(f"{module.name}.{name}: its expression has no values") from error


def _modules() -> Iterator[_Module]:
    for top in ("core", "plugins"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT / top).with_suffix("").parts
            text = path.read_text(encoding="utf-8")
            if parts[0] != "unlatch_sandbox" and "template" not in parts and _MAKES.search(text):
                name = ".".join(parts).removesuffix(".__init__")
                tree = ast.parse(text)
                yield _Module(name, tree, tuple(ast.walk(tree)))


def _method(node: ast.AST) -> str | None:
    """The function of re that a call is one of; `compile` for one that is used elsewhere."""
    match node:
        case ast.Call(func=ast.Name("pattern"), args=[_, *_]):
            return "compile"
        case ast.Call(func=ast.Attribute(ast.Name("re"), attr), args=[_, *_]):
            return attr if attr in METHODS or attr == "compile" else None
    return None


def _value(call: ast.Call, method: str, values: dict[str, Any]) -> tuple[str | bytes, int]:
    """The expression and its flags; TypeError if it is none."""
    given = call.args[1:] if method == "compile" else call.args[_FLAGS.get(method, 2) :]
    given = [*given, *(word.value for word in call.keywords if word.arg == "flags")]
    regex, *flags = (
        eval(compile(ast.Expression(one), "", "eval"), values) for one in (call.args[0], *given)
    )
    if not isinstance(regex, str | bytes):
        raise TypeError
    return regex, sum(map(int, flags))


def _named(nodes: Sequence[ast.AST]) -> dict[int, str]:
    """The names by which calls are used: of a variable, of a container in one, of an argument.

    A call that has none of these is named by its function.
    """
    names: dict[int, str] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            names |= dict.fromkeys(map(id, ast.walk(node)), node.name)
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names |= dict.fromkeys(map(id, ast.walk(node.value)), node.targets[0].id)
        elif isinstance(node, ast.keyword) and node.arg:
            names[id(node.value)] = node.arg
    return names


def _called(modules: list[_Module]) -> dict[tuple[str, str], set[str]]:
    """The methods of a name, by the module that has it; by "" for a name that others import."""
    methods: dict[tuple[str, str], set[str]] = {}
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                name = _name(node.value)
                for place in (module.name, "") if not name.startswith("_") else (module.name,):
                    methods.setdefault((place, name), set()).add(node.attr)
    for module in modules:
        for container, names in _containers(module.tree):
            places = ((module.name, container), ("", container)) if container else ()
            known = next(filter(None, map(methods.get, places)), set())
            for name in names:
                methods.setdefault((module.name, name), set()).update(known)
    return methods


def _name(node: ast.expr) -> str:
    """The name of an expression: of its variable, attribute or container."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value):
            return _name(value)
    return ""


def _containers(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """The variables whose values have others in them, and the names of those."""
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for node in (*tree.body, *(inner for outer in classes for inner in outer.body)):
        match node:
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
                names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                yield _name(target), names - {_name(target)}
