"""`help(unlatch.spi)` is a map of the interface that fits a few screens."""

from __future__ import annotations

import pydoc
import re
from types import ModuleType

from unlatch import spi

THREE_SCREENS = 120


def test_help_fits_a_few_screens() -> None:
    shown = pydoc.plain(pydoc.render_doc(spi)).splitlines()
    assert len(shown) <= THREE_SCREENS
    assert max(map(len, shown)) <= 105  # pydoc indents by four


def test_help_names_all_that_a_plugin_imports() -> None:
    exported = {
        name
        for name, value in vars(spi).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    listed: set[str] = set()
    for names in re.findall(r"^ {4}((?:\w+, )*\w+)", spi.__doc__ or "", re.MULTILINE):
        listed.update(names.split(", "))
    assert exported == listed
