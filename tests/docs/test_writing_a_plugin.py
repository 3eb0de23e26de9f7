"""The code on docs/writing-a-plugin.md is from the plugin that the tests run."""

from __future__ import annotations

import re
import textwrap

import pytest
from tests.docs.pages import ROOT

from unlatch.spi import Capability, SyncPlugin
from unlatch.testing import FaultKind

PAGE = (ROOT / "docs/writing-a-plugin.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_block_names_its_file() -> None:
    fences = re.findall(r"^```\w+$", PAGE, re.MULTILINE)
    assert len(fences) == len(SHOWN)
    assert len(SHOWN) > 5


@pytest.mark.parametrize(("path", "code"), SHOWN)
def test_a_block_is_in_its_file(path: str, code: str) -> None:
    # A method is shown without its class, so without the class's indentation.
    spellings = [code, textwrap.indent(code, "    ")]
    file = (ROOT / path).read_text(encoding="utf-8")
    assert any(spelling in file for spelling in spellings), f"{path} has not:\n{code}"


def test_the_example_is_as_short_as_the_page_says() -> None:
    modules = (ROOT / "plugins/unlatch_example").rglob("*.py")
    assert sum(len(one.read_text(encoding="utf-8").splitlines()) for one in modules) < 250
    assert "less than 250 lines" in PAGE


def table(heading: str) -> str:
    return PAGE[PAGE.index(f"| {heading} |") :].partition("\n\n")[0]


def test_every_fault_is_in_the_table() -> None:
    listed = set(re.findall(r"`([\w-]+)`", table("Fault")))
    assert {kind.value for kind in FaultKind} == listed


def test_every_method_and_capability_is_listed() -> None:
    methods = {name for name in vars(SyncPlugin) if not name.startswith("_")}
    listed = set(re.findall(r"`(\w+)`", table("Method")))
    assert set() == methods - listed
    assert set() == {one.name for one in Capability if f"`{one.name}`" not in PAGE}
