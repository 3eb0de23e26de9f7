"""The layout of OpenSpec: a folder for each change, below `openspec/changes`.

Follows `@fission-ai/openspec` 1.13: what is a task, a requirement or a change is decided as there.
"""

from unlatch_layouts.openspec.layout import OPENSPEC

__all__ = ["OPENSPEC"]
