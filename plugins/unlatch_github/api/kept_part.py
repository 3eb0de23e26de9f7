"""unlatch's parts of an issue's body, in Markdown."""

from __future__ import annotations

from functools import partial

from unlatch.spi import from_markdown
from unlatch.spi import kept_parts as parts_of

kept_parts = partial(parts_of, unescape=from_markdown)
