"""tools/published.py: what packages under plugins/ import of the core."""

from pathlib import Path

import pytest

import published

SETTINGS = '[tool.unlatch]\npublished = ["unlatch", "unlatch.errors", "unlatch.worklog"]\n'
GOOD = """\
from unlatch import __version__
from unlatch.errors import UsageError
from unlatch.worklog import ids
from unlatch.worklog.disk.atomic import replace_file
"""


@pytest.mark.parametrize(
    ("line", "complaints"),
    [
        ("", []),
        ("import json", []),
        ("from unlatch_runs import kind", []),
        (
            "from unlatch.delivery.steps import run",
            ["plugins/unlatch_runs/kind.py:5 imports unlatch.delivery.steps: it is not published"],
        ),
        (
            "def late():\n    from unlatch import delivery",
            ["plugins/unlatch_runs/kind.py:6 imports unlatch.delivery: it is not published"],
        ),
        (
            "import unlatch.error_texts",
            ["plugins/unlatch_runs/kind.py:5 imports unlatch.error_texts: it is not published"],
        ),
    ],
)
def test_an_import_of_anything_else_is_named(
    tmp_path: Path, line: str, complaints: list[str]
) -> None:
    _write(tmp_path, f"{GOOD}{line}\n")
    assert complaints == [*published.complaints(tmp_path)]
    assert bool(complaints) == bool(published.main([str(tmp_path)]))


def test_an_entry_that_no_package_needs_is_named(tmp_path: Path) -> None:
    _write(tmp_path, GOOD.replace("from unlatch.errors import UsageError\n", ""))
    assert ["pyproject.toml publishes unlatch.errors, which no package imports"] == [
        *published.complaints(tmp_path)
    ]


def _write(root: Path, text: str) -> None:
    (root / "pyproject.toml").write_text(SETTINGS)
    for name in ("errors", "worklog/ids", "worklog/disk/atomic", "delivery/__init__"):
        path = root / "core" / "unlatch" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (root / "core/unlatch/__init__.py").touch()
    package = root / "plugins" / "unlatch_runs"
    package.mkdir(parents=True)
    (package / "kind.py").write_text(text)
