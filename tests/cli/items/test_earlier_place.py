"""Records of items outside of a project that earlier versions keep in another folder."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import Done, Project
from tests.machines.older_version import older_environ, take_out

REASON = "Found again"
OTHER = "Found once more"


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the program of an earlier version."""
    folder = tmp_path_factory.mktemp("earlier") / "taken"
    if why := take_out(folder):
        pytest.skip(why)
    return folder / "bin"


class Beside:
    """The user of both versions, outside of a project."""

    def __init__(self, project: Project, programs: Path) -> None:
        self.project, self.programs = project, programs
        self.items = project.home / "state/unlatch/items"
        self.old = self.items / ".unlatch/items"

    def earlier(self, *words: str) -> Done:
        done = subprocess.run(
            [self.programs / "unlatch", *words],
            cwd=self.project.root,
            env=older_environ(self.project.environ, self.programs),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def reopen(self, *words: str, reason: str = REASON) -> tuple[str, ...]:
        return ("reopen", self.project.urls["github"], "--reason", reason, *words)

    def comments(self) -> list[str]:
        return self.project.comments()["github"]

    def pending(self) -> list[Any]:
        found = self.items.rglob("metadata.json")
        return [one for path in found for one in json.loads(path.read_text()).get("pending", ())]

    def close(self) -> None:
        """Close the item again by hand."""
        self.project.box.github.edit("octo/widgets", 4, state="closed", state_reason="completed")

    def check_posted(self, *reasons: str) -> None:
        """Check that each reason was posted once, that nothing is pending, and the only place."""
        posted = [
            reason for text in self.comments() for reason in (REASON, OTHER) if reason in text
        ]
        assert ([*reasons], [], {"."}) == (posted, self.pending(), self.places())
        assert not self.old.parent.exists()

    def places(self) -> set[str]:
        """The places of the records."""
        found = self.items.rglob("metadata.json")
        return {str(path.parent.parent.relative_to(self.items)) for path in found}


@pytest.fixture
def beside(outside: Project, programs: Path) -> Beside:
    outside.items("github")
    return Beside(outside, programs)


def test_records_are_read_where_an_earlier_version_keeps_them_and_the_first_write_moves_them(
    beside: Beside,
) -> None:
    beside.earlier(*beside.reopen("--offline")).ends(0)
    files = {path: path.read_bytes() for path in beside.old.rglob("*.json*")}
    beside.project.run("status").ends(0, out="octo/widgets#4: 1 operation pending")
    beside.project.run(*beside.reopen("--dry-run")).ends(0)
    assert files == {path: path.read_bytes() for path in beside.items.rglob("*.json*")}

    beside.project.run(*beside.reopen("--offline")).ends(0)
    assert {"."} == beside.places()
    assert 1 == len(beside.pending())
    beside.project.run("sync").ends(0)
    beside.check_posted(REASON)
    beside.project.run("undo", beside.project.urls["github"], "--yes").ends(0)
    assert "closed" == beside.project.states()["github"]


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("name", ["its own", "another"])
def test_both_versions_in_turn_lose_no_operation_and_post_none_twice(
    beside: Beside, name: str
) -> None:
    beside.earlier(*beside.reopen("--offline")).ends(0)
    beside.project.run("sync").ends(0)
    beside.close()
    beside.earlier(*beside.reopen("--offline", reason=OTHER)).ends(0)
    (made,) = beside.old.iterdir()
    if name == "another":
        made.rename(made.with_name(f"{made.name.partition('-')[0]}-renamed"))
    assert {".", ".unlatch/items"} == beside.places()

    beside.project.run("status").ends(0, out="octo/widgets#4: 1 operation pending")
    beside.project.run("sync").ends(0, out="reopened; commented")
    beside.check_posted(REASON, OTHER)
    (record,) = beside.items.glob("*/metadata.json")
    entries = json.loads(record.read_text())["reopenHistory"]
    assert [(REASON, True), (OTHER, True)] == [
        (one["reason"], bool(one["syncedTo"])) for one in entries
    ]
    delivered = record.with_name("events.jsonl").read_text().count('"event": "delivered"')
    assert 2 == delivered
    beside.project.run("undo", beside.project.urls["github"], "--yes").ends(0)
    assert "closed" == beside.project.states()["github"]


def test_what_both_versions_wait_to_post_for_one_reason_is_posted_once(beside: Beside) -> None:
    beside.project.run(*beside.reopen("--offline")).ends(0)
    beside.earlier(*beside.reopen("--offline")).ends(0)
    assert 2 == len(beside.pending())
    beside.project.run("sync").ends(0)
    beside.check_posted(REASON)


def test_a_record_is_joined_to_its_own_beside_that_of_another_item_with_its_number(
    beside: Beside,
) -> None:
    beside.project.run(*beside.reopen()).ends(0)
    (own,) = beside.items.glob("*/")
    other = own.with_name(f"{own.name.partition('-')[0]}-another")
    shutil.copytree(own, other)
    for path in other.iterdir():
        text = path.read_text().replace("issues/4", "issues/5")
        path.write_text(text.replace('"issue": 4', '"issue": 5'))
    beside.close()
    beside.earlier(*beside.reopen("--offline", reason=OTHER)).ends(0)

    beside.project.run("sync").ends(0, out="reopened; commented")
    beside.check_posted(REASON, OTHER)


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("text", ["{", "[]", '{"pending": 7}'])
def test_a_record_that_cannot_be_read_stops_no_other(beside: Beside, text: str) -> None:
    beside.project.run(*beside.reopen("--offline")).ends(0)
    beside.earlier(*beside.reopen("--offline", reason=OTHER)).ends(0)
    (broken,) = beside.old.glob("*/metadata.json")
    broken.write_text(text)

    done = beside.project.run("sync").ends(5, out="reopened; commented", err=str(broken.parent))
    assert [1, text] == [len(beside.comments()), broken.read_text()], done.said
