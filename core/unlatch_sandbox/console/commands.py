"""The functions of each tracker's Python API that other processes may call over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "github": (
        "add_repository",
        "add_issue",
        "add_comment",
        "add_person",
        "edit_comment",
        "edit",
        "tick",
        "issue",
        "comments",
        "rename_repository",
        "transfer_issue",
    ),
    "ado": (
        "add_project",
        "add_work_item",
        "add_comment",
        "edit_comment",
        "edit",
        "tick",
        "delete",
        "work_item",
        "comments",
        "updates",
    ),
    "jira": (
        "add_project",
        "add_issue",
        "add_comment",
        "edit_comment",
        "edit",
        "tick",
        "issue",
        "comments",
    ),
}
