"""The code on the pages about plugins and layouts is from files that the tests run."""

import re
import textwrap

import pytest
from tests.docs.pages import ROOT

from unlatch.spi import Capability, SyncPlugin
from unlatch.testing import FaultKind

PAGE = (ROOT / "docs/writing-a-plugin.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "fences", "least"),
    [("writing-a-plugin.md", r"^```\w+$", 5), ("writing-a-layout.md", "^```python$", 4)],
)
def test_each_block_names_its_file_and_is_in_it(page: str, fences: str, least: int) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    block = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    shown = block.findall(text)
    assert len(re.findall(fences, text, re.MULTILINE)) == len(shown) >= least
    for path, code in shown:
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
