"""The layout of Kiro and of cc-sdd: a folder for each spec, below `.kiro/specs`.

Follows kiro.dev/docs/specs and the files that Kiro 0.2 to 1.0 and cc-sdd 1 to 3 write.
"""

from unlatch_layouts.kiro.layout import KIRO

__all__ = ["KIRO"]
