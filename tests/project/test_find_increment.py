"""A path names the increment of the folder that it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch.project.find_increment import is_item, name_at

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a folder of another tool, and one of these in it."""
    root = tmp_path / "project"
    (root / "specs/001-photo/checklists").mkdir(parents=True)
    (root / "specs/001-photo/tasks.md").write_text("")
    (root / "specs/001-photo/nested/deep").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("specs/001-photo", "001-photo"),
        ("specs/001-photo/", "001-photo"),
        ("./specs/../specs/001-photo/tasks.md", "001-photo"),
        ("specs/001-photo/checklists", "001-photo"),
        ("specs/001-photo/nested/deep", "inner"),
        ("specs/001-photo/spec.md", None),
        ("specs/002-other", None),
        ("specs", None),
        (".", None),
        ("..", None),
        ("/", None),
        ("/001-photo", None),
        ("specs/001-photo\0", None),
        ("x/" * 5000, None),
    ],
)
def test_a_folder_elsewhere_means_an_increment(root: Path, path: str, name: str | None) -> None:
    places = {
        root / "specs/001-photo": "001-photo",
        root / "specs/001-photo/nested": "inner",
        root / "specs/002-other": "gone",
    }
    assert name == name_at(path, root=root, places=places)


def test_a_link_that_leads_out_of_the_project_means_nothing(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "specs/003-link").symlink_to(tmp_path / "elsewhere")
    (root / "specs/loop").symlink_to("loop")
    places = {root / "specs/003-link": "003-link", root / "specs/loop": "loop"}
    for path in ("specs/003-link", "specs/loop"):
        assert name_at(path, root=root, places=places) is None


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("octo/widgets#4", True),
        ("SCRUM-28", True),
        ("fabrikam/widgets 101", True),
        ("https://github.com/octo/widgets/issues/4", True),
        ("#4", False),
        ("7", False),
        ("0007-search", False),
        ("./search#4", False),
    ],
)
def test_an_item_has_a_name_of_its_own(word: str, *, expected: bool) -> None:
    assert is_item(word) == expected
