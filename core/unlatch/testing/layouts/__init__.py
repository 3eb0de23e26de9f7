"""The conformance kit for layouts; docs/writing-a-layout.md explains it. It needs no pytest.

`check_layout` tests a layout on a folder of examples; `check_texts` tests it on the texts of one
unit, for tests that generate them.
"""

from unlatch.testing.layouts.folders import check_layout, texts_of
from unlatch.testing.layouts.texts import check_texts

__all__ = ["check_layout", "check_texts", "texts_of"]
