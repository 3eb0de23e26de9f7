"""Migrated metadata.json loses nothing; moves are few, and journals trusted with no more."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.increments.files.making import GITHUB, NOW, SHAPES, Project, metadata, ulid

from unlatch.errors import StoreError
from unlatch.increments.files.metadata_file import read_metadata
from unlatch.increments.files.paths import ProjectPaths
from unlatch.worklog.collection import Folder
from unlatch_specweave.migrate.canonical import canonical
from unlatch_specweave.migrate.journal import (
    Edit,
    Journal,
    Move,
    State,
    digest,
    read_journals,
    remove_journal,
    write_journal,
)
from unlatch_specweave.migrate.plan import moves_between

ISSUE = GITHUB.format(4)


def brought(project: Project, content: dict[str, Any] | bytes) -> str | None:
    path = project.add(content)
    folder = Folder(path.name, path, archived=False)
    made = canonical(folder, read_metadata(path / "metadata.json"), SHAPES)
    return None if made is None else made.decode()


def data(project: Project, **changes: Any) -> dict[str, Any]:
    made = brought(project, {**metadata(), **changes})
    assert made is not None
    found: dict[str, Any] = json.loads(made)
    return found


def test_what_has_the_shape_stays_byte_for_byte(project: Project) -> None:
    text = json.dumps(metadata(github={"issue": 4, "url": ISSUE}), indent=3)

    assert text == brought(project, text.encode())


def test_the_id_is_the_folders_name(project: Project) -> None:
    assert data(project, id="0007")["id"] == "0007-search"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"jira": {"epicKey": "A-1", "synced": "x"}}, {"jira": {"issueKey": "A-1", "synced": "x"}}),
        ({"ado": {"item": 7}}, {"ado": {"workItemId": 7}}),
        ({"github": {"number": 4, "issueUrl": ISSUE}}, {"github": {"issue": 4, "url": ISSUE}}),
        (
            {"external_sync": {"jira": {"issueKey": "A-1", "synced": "x"}, "other": 1}},
            {"external_sync": {"jira": {"synced": "x"}, "other": 1}, "jira": {"issueKey": "A-1"}},
        ),
        ({"externalLinks": {"ado": {"featureId": 7}}}, {"ado": {"workItemId": 7}}),
        (
            {
                "github": {
                    "milestone": 2,
                    "user_story_issues": [{"id": "US-001", "issue_number": 4}],
                }
            },
            {"github": {"milestone": 2, "items": [{"story": "US-001", "issue": 4}], "issue": 4}},
        ),
        (
            {"github": {"issue": 3, "user_story_issues": [{"id": "US-001", "issue_number": 4}]}},
            {"github": {"issue": 3, "items": [{"issue": 3}, {"story": "US-001", "issue": 4}]}},
        ),
        (
            {"github": {"issues": [{"userStory": "US-001", "number": 4, "at": "x"}]}},
            {"github": {"items": [{"story": "US-001", "issue": 4, "at": "x"}], "issue": 4}},
        ),
        (
            {"github": {"issues": ["#4"], "issue_urls": [ISSUE], "milestone": 2}},
            {"github": {"issue": 4, "url": ISSUE, "milestone": 2}},
        ),
        (
            {
                "externalLinks": {
                    "jira": {
                        "epicKey": "A-1",
                        "domain": "acme.example",
                        "userStories": {
                            "US-001": {"issueKey": "A-2", "status": "x"},
                            "US-002": "A-3",
                        },
                    }
                }
            },
            {
                "externalLinks": {"jira": {"domain": "acme.example"}},
                "jira": {
                    "issueKey": "A-2",
                    "items": [
                        {"issueKey": "A-2", "story": "US-001", "status": "x"},
                        {"issueKey": "A-3", "story": "US-002"},
                        {"issueKey": "A-1"},
                    ],
                },
            },
        ),
        # The repository goes with an id, and stays beside an address.
        (
            {"externalLinks": {"github": {"repo": "octo/gadgets", "issueNumber": 4}}},
            {
                "externalLinks": {"github": {"repo": "octo/gadgets"}},
                "github": {"issue": "octo/gadgets#4"},
            },
        ),
        (
            {"externalLinks": {"github": {"issueNumber": 4, "issueUrl": ISSUE, "repo": "o/w"}}},
            {"externalLinks": {"github": {"repo": "o/w"}}, "github": {"issue": 4, "url": ISSUE}},
        ),
        # These have the shape, or are no links or times.
        *(
            (as_it_is, as_it_is)
            for as_it_is in (
                {"external_ref": "github#octo/widgets#4", "github_issue": 4},
                {"github": {"issue": 4}, "external_sync": {"github": {"issue": 4}}},
                {"github": {"issue": None, "labels": ["a"]}, "jira": "SCRUM-1", "ado": [1]},
                {"completed": True, "created_at": "2025-01-01"},
            )
        ),
    ],
)
def test_links_of_old_shapes(project: Project, old: dict[str, Any], new: dict[str, Any]) -> None:
    assert data(project, **old) == {**metadata(), **new}


def entry(number: int, **more: Any) -> dict[str, Any]:
    return {"number": number, "url": GITHUB.format(number), **more}


def moved(number: int, **more: Any) -> dict[str, Any]:
    return {"issue": number, "url": GITHUB.format(number), **more}


@pytest.mark.parametrize("outer", ["externalLinks", "external_sync"])
@pytest.mark.parametrize("others", [[], [{"title": "no number yet"}], [{"title": "a"}, "b"]])
def test_the_facts_of_each_entry_stay_with_its_item(
    project: Project, outer: str, others: list[Any]
) -> None:
    entries = [entry(1, note="A", status="open"), entry(2, note="B"), entry(3)]
    issues = [entries[0], *others, *entries[1:], *others]
    found = data(project, **{outer: {"github": {"issues": issues}}})
    left = {outer: {"github": {"issues": [*others, *others]}}} if others else {}
    items = [moved(1, note="A", status="open"), moved(2, note="B"), moved(3)]
    assert found == {**metadata(), "github": {**moved(1), "items": items}, **left}


def test_plain_items_with_addresses_beside_them_all_move(project: Project) -> None:
    numbers = [830, 831, 832]
    urls = [GITHUB.format(one) for one in numbers]
    links = {"github": {"issues": numbers, "issue_urls": urls}}
    items = [moved(one) for one in numbers]
    expected = {**metadata(), "github": {**items[0], "items": items}}
    assert data(project, externalLinks=links) == expected


@pytest.mark.parametrize(
    "links",
    [
        # An item in two entries that disagree, and a block with another fact of that name.
        {"externalLinks": {"github": {"issues": [entry(1, note="A"), entry(1, note="B")]}}},
        {"github": {"note": "B"}, "externalLinks": {"github": {"issues": [entry(1, note="A")]}}},
        # A value under the key of the item, and an address of another item.
        {"github": {"issue": {"issue": "5"}}, "externalLinks": {"github": {"issues": [4]}}},
        {"github": {"issue": {"issue": "5"}, "issues": [4]}},
        {"github": {"url": GITHUB.format(5)}, "externalLinks": {"github": {"issues": [4]}}},
        {"externalLinks": {"github": {"issues": [4], "issue_urls": [GITHUB.format(5)]}}},
    ],
)
def test_a_file_that_would_lose_a_value_is_left_alone(
    project: Project, links: dict[str, Any]
) -> None:
    assert brought(project, {**metadata(), **links}) is None


OURS, THEIRS = ".unlatch/increments", ".specweave/increments"


@pytest.fixture
def paths(tmp_path: Path) -> ProjectPaths:
    (tmp_path / ".unlatch").mkdir()
    return ProjectPaths(tmp_path, tmp_path / OURS)


def journal(number: int = 1) -> Journal:
    config = Edit(path=".unlatch/config.toml", before=None, after=digest(b"x"))
    metadata = Edit(path=f"{OURS}/0001-a/metadata.json", before=b'{"\xc3\xa9": 1}', after="0")
    return Journal(
        id=ulid(number),
        at=NOW,
        by="ada",
        state=State.BEGUN,
        moves=(Move(source=THEIRS, target=OURS),),
        edits=(config, metadata),
    )


def change(paths: ProjectPaths, **changes: Any) -> None:
    path = paths.home / "migrations" / f"{ulid(1)}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_journals_are_read_as_they_were_written_and_in_order(paths: ProjectPaths) -> None:
    write_journal(paths, journal(2))
    write_journal(paths, journal(1))

    assert (journal(1), journal(2)) == read_journals(paths)


def test_the_folder_of_the_journals_goes_with_the_last_one(paths: ProjectPaths) -> None:
    for number in (1, 2):
        write_journal(paths, journal(number))

    remove_journal(paths, journal(1))
    assert (journal(2),) == read_journals(paths)
    remove_journal(paths, journal(2))
    assert () == read_journals(paths)
    assert [] == list(paths.home.iterdir())


@pytest.mark.parametrize(
    "changes",
    [
        {"formatVersion": 2},
        {"moves": [{"from": OURS, "to": f"{OURS}/../../elsewhere"}]},
        {"moves": [{"from": ".git/hooks", "to": OURS}]},
        {"moves": "none"},
        {"files": [{"path": "/etc/passwd", "before": "x", "after": "0"}]},
        {"files": [{"path": f"{OURS}/.git/metadata.json", "before": "x", "after": "0"}]},
        {"files": [{"path": f"{OURS}/a\\b/metadata.json", "before": "x", "after": "0"}]},
        {"files": [{"path": ".gitattributes", "before": 7, "after": "0"}]},
        {"files": [{"path": ".gitattributes", "before": "\ud800", "after": "0"}]},
        {"files": [{"path": ".gitattributes"}]},
        {"state": "half"},
        {"state": []},
        {"id": ulid(3)},
        {"at": "yesterday"},
    ],
)
def test_a_journal_that_unlatch_did_not_write_is_refused(
    paths: ProjectPaths, changes: dict[str, Any]
) -> None:
    write_journal(paths, journal())
    change(paths, **changes)

    with pytest.raises(StoreError) as raised:
        read_journals(paths)

    expected = "migration-newer" if "formatVersion" in changes else "migration-unreadable"
    assert expected == raised.value.id


def make(root: Path, *files: str) -> None:
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}")


def moves(root: Path) -> list[tuple[str, str]]:
    return sorted((one.source, one.target) for one in moves_between(root, "theirs", "ours"))


@pytest.mark.parametrize(
    ("theirs", "ours", "taken"),
    [
        ("theirs/0001-a/metadata.json", "ours/0001-a/metadata.json", "ours/0001-a"),
        ("theirs/0001-a/metadata.json", "ours/0001-a/spec.md", "ours/0001-a"),
        ("theirs/0001-a/metadata.json", "ours/0001-a", "ours/0001-a"),
        ("theirs/README.md", "ours/README.md", "ours/README.md"),
    ],
)
def test_a_place_that_is_taken_blocks_the_migration(
    tmp_path: Path, theirs: str, ours: str, taken: str
) -> None:
    make(tmp_path, theirs, ours)

    with pytest.raises(StoreError) as raised:
        moves(tmp_path)

    assert ("migrate-blocked", str(tmp_path / taken)) == (raised.value.id, raised.value.where)
