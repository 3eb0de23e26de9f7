"""The search index is a cache: damage is repaired, or the error names the file to remove."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.project import Project


@pytest.fixture
def index(project: Project) -> Path:
    """The index of a project with one increment that it has."""
    project.increment("0003-rate-limit-retries")
    assert "0003-rate-limit-retries" in project.run("search", "retries").out
    (found,) = project.home.rglob("search.sqlite3")
    return found


def overwritten(at: int, length: int) -> Callable[[Path], object]:
    def damage(index: Path) -> None:
        content = bytearray(index.read_bytes())
        content[at : at + length] = b"garbage " * (length // 8)
        index.write_bytes(content)

    return damage


def cut(index: Path) -> None:
    index.write_bytes(index.read_bytes()[:5000])


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda index: index.write_bytes(b""), id="empty"),
        pytest.param(lambda index: index.write_bytes(b"no database" * 500), id="other file"),
        pytest.param(cut, id="cut short"),
        pytest.param(overwritten(100, 1000), id="tables"),
        *(pytest.param(overwritten(4096 * page, 4096), id=f"page {page}") for page in (1, 4)),
    ],
)
def test_a_damaged_index_is_made_again(
    project: Project, index: Path, damage: Callable[[Path], object]
) -> None:
    damage(index)
    project.increment("0004-retries-of-uploads")
    project.run("search", "retries").ends(0, out="0004-retries-of-uploads")
    assert "0003-rate-limit-retries" in project.run("search", "rate limit").out


def test_a_folder_in_its_place_is_named_and_stops_nothing_else(
    project: Project, index: Path
) -> None:
    index.unlink()
    index.mkdir()
    done = project.run("search", "retries").ends(1, err="error[search-unavailable]")
    assert project.run("new", "Rate limit retries").code == 0
    _, _, command = next(one for one in done.err.splitlines() if "next: " in one).partition(
        "next: "
    )
    subprocess.run(shlex.split(command.partition(",")[0]), check=True)
    assert "0003-rate-limit-retries" in project.run("search", "retries").out
