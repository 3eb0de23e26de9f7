"""The code on docs/writing-a-layout.md is from the layout that the tests run."""

from __future__ import annotations

import re

import pytest
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs/writing-a-layout.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_python_is_shown_from_files() -> None:
    assert len(re.findall(r"^```python$", PAGE, re.MULTILINE)) == len(SHOWN) > 3


@pytest.mark.parametrize(("path", "code"), SHOWN)
def test_a_block_is_in_its_file(path: str, code: str) -> None:
    assert code in (ROOT / path).read_text(encoding="utf-8")
