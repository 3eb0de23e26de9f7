"""The code on docs/writing-a-plugin.md is that of the plugin which the tests run."""

from __future__ import annotations

import re
import textwrap

import pytest
from tests.docs.pages import ROOT

from unlatch.testing import FaultKind

PAGE = (ROOT / "docs/writing-a-plugin.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_block_says_which_file_it_is_from() -> None:
    fences = re.findall(r"^```\w+$", PAGE, re.MULTILINE)
    assert len(fences) == len(SHOWN)
    assert len(SHOWN) > 5


@pytest.mark.parametrize(("path", "code"), SHOWN)
def test_a_block_stands_in_its_file(path: str, code: str) -> None:
    # A method is shown without its class, so without the class's indentation.
    spellings = [code, textwrap.indent(code, "    ")]
    file = (ROOT / path).read_text(encoding="utf-8")
    assert any(spelling in file for spelling in spellings), f"{path} has not:\n{code}"


def test_every_fault_is_in_the_table() -> None:
    rows = [line for line in PAGE.splitlines() if re.search(r"\| (yes|no)", line)]
    told = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert {kind.value for kind in FaultKind} == told
