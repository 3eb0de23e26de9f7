"""`help(unlatch.spi)` is a map of the interface that fits a few screens."""

from __future__ import annotations

import ast
import inspect
import pydoc
import re
from dataclasses import fields, is_dataclass
from enum import EnumType
from importlib import import_module

import pytest

from unlatch import spi, transport

THREE_SCREENS = 120


def test_help_fits_a_few_screens() -> None:
    shown = pydoc.plain(pydoc.render_doc(spi)).splitlines()
    assert len(shown) <= THREE_SCREENS
    assert max(map(len, shown)) <= 105  # pydoc indents by four


def test_help_names_all_that_a_plugin_imports() -> None:
    assert imported_for_type_checkers().keys() == listed_in(spi.__doc__)
    assert {*transport.__all__} == listed_in(transport.__doc__)


def listed_in(doc: str | None) -> set[str]:
    lines = re.findall(r"^ {4}((?:\w+, )*\w+)", doc or "", re.MULTILINE)
    return {name for names in lines for name in names.split(", ")}


def test_help_describes_each_field_and_member() -> None:
    described = 0
    for name, one in (
        *((name, getattr(spi, name)) for name in imported_for_type_checkers()),
        ("Answer", transport.Answer),
        ("Row", transport.Row),
    ):
        if is_dataclass(one):
            parts = [field.name for field in fields(one)]
        elif isinstance(one, EnumType):
            parts = [*one.__members__]
        else:
            continue
        described += 1
        found = re.findall(r"^ *(\w+): ", inspect.getdoc(one) or "", re.MULTILINE)
        assert parts == [part for part in found if part in parts], name
    assert described > 25
    shown = pydoc.plain(pydoc.render_doc(spi.CommentRef))
    assert "created: " in shown.partition("\n\n")[2].partition("Methods")[0]
    assert "own: bool | None = None" in shown or "own: 'bool | None' = None" in shown


def test_a_name_is_loaded_from_the_module_that_type_checkers_know() -> None:
    for name, module in imported_for_type_checkers().items():
        assert getattr(spi, name) is getattr(import_module(module), name)
    with pytest.raises(AttributeError, match="SyncPlugins"):
        _ = spi.SyncPlugins  # type: ignore[attr-defined]  # misspelt


def imported_for_type_checkers() -> dict[str, str]:
    tree = ast.parse(inspect.getsource(spi))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: node.module or ""
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
