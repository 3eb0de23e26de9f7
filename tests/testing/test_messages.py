"""Each failure of the kit names the promise: authors of plugins read its messages, not its code."""

from __future__ import annotations

import ast
from pathlib import Path

import unlatch.testing


def test_each_assert_of_the_kit_has_a_message() -> None:
    bare, asserts = [], 0
    for path in sorted(Path(unlatch.testing.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assert):
                asserts += 1
                if node.msg is None:
                    bare.append(f"{path.name}:{node.lineno}")
    assert bare == []
    assert asserts > 100
