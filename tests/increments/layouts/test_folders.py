"""The folders and files that layouts look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.layouts.folders import files_below, subfolders, text_of

if TYPE_CHECKING:
    from pathlib import Path


def test_links_to_folders_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").touch()
    (tmp_path / "linked").symlink_to(tmp_path / "real", target_is_directory=True)
    assert ["real"] == list(subfolders(tmp_path))
    assert ["real/a.md"] == files_below(tmp_path, ".md")


def test_a_text_that_cannot_be_read_is_empty(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("\ufeffä\r\n".encode())
    (tmp_path / "binary.md").write_bytes(b"\xff")
    (tmp_path / "linked.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "folder.md").mkdir()
    names = ("a.md", "binary.md", "linked.md", "folder.md", "missing.md", "missing/a.md")
    assert ["\ufeffä\r\n", "", "", "", "", ""] == [text_of(tmp_path / name) for name in names]
