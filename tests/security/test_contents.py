"""Wheel and sdist contain the listed files only; `make wheel-check` compares the two with it."""

import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "wheel_check.py"


@pytest.fixture
def tool() -> Iterator[Any]:
    spec = util.spec_from_file_location("wheel_check", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize(
    "name",
    [".env", "core/unlatch/token.txt", "core/unlatch/a.pyc", "tests/trace.log", "core/other/a.py"],
)
def test_a_file_that_is_not_listed_is_found(tool: Any, name: str) -> None:
    listed = (TOOL.parent / "contents" / "sdist.txt").read_text()

    stray, _ = tool.compare(["core/unlatch/cli/main.py", name], listed)

    assert [name] == stray


def test_a_line_that_nothing_matches_is_found(tool: Any) -> None:
    stray, missing = tool.compare(["a/b.py", "c.txt"], "# a list\na/**.py\n*.txt\nd/*.py\n")

    assert ([], ["d/*.py"]) == (stray, missing)
