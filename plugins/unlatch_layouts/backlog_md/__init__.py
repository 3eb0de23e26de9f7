"""The layout of Backlog.md: a file for each task, in folders that say whether it is finished.

Follows `backlog.md` 1.52: which files are tasks, and which of their lines are criteria, is decided
as there.
"""

from unlatch_layouts.backlog_md.layout import BACKLOG_MD

__all__ = ["BACKLOG_MD"]
