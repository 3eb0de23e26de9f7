"""A list shows the same about each increment as reading it, for any subset of attributes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unlatch.increments.model.increment import Increment
from unlatch.increments.records.links import read_links, same_item
from unlatch.spi.manifest import LinkShape

if TYPE_CHECKING:
    from tests.increments.files.making import Project

SHAPES = {"github": LinkShape("issue", "url", number=True), "jira": LinkShape("issueKey", "url")}
URLS = st.sampled_from(["https://h/1", "https://h/1/", "https://H/1", "https://h/2", "", " "])
BLOCKS = st.fixed_dictionaries(
    {},
    optional={
        "issue": st.integers(1, 2) | st.sampled_from(["1", "#2", "", None, True]),
        "number": st.integers(1, 2),
        "issueKey": st.sampled_from(["A-1", "A-2"]),
        "url": URLS,
        "issueUrl": URLS,
        "id": st.sampled_from(["US-001", "x"]),
    },
)
LISTS = st.fixed_dictionaries(
    {}, optional={"items": st.lists(BLOCKS, max_size=4), "user_story_issues": st.lists(BLOCKS)}
)
BOTH = st.builds(lambda block, lists: {**block, **lists}, BLOCKS, LISTS)
ANY = st.dictionaries(
    st.sampled_from(["github", "jira", "external_sync", "externalLinks"]),
    BOTH | st.fixed_dictionaries({}, optional={"github": BOTH, "jira": BOTH}) | st.integers(),
)


@given(ANY)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_each_item_is_linked_once(data: dict[str, Any]) -> None:
    links = read_links(data, SHAPES)

    for number, link in enumerate(links):
        assert not any(same_item(link, other) for other in links[:number])


def test_a_listed_increment_is_the_one_that_is_read(project: Project) -> None:
    folder = project.increments / "0001-one"
    folder.mkdir(parents=True)
    stories = [{"id": "US-001", "issue_number": 1}, {"id": "US-002", "issue_number": 2}]
    known = {
        "id": "0009-other",
        "status": "in-progress",
        "created_at": "2025-10-01",
        "completed": "2025-11-01T08:00:00Z",
        "github": {"user_story_issues": stories},
    }
    folder.joinpath("metadata.json").write_text(json.dumps(known))
    folder.joinpath("spec.md").write_text("# One\n")

    (listed,) = project.manager.list()
    read = project.manager.read("1")

    assert isinstance(listed, Increment)
    assert listed == read
    assert listed.warnings == read.warnings != ()
    assert [link.item for link in listed.links] == ["1", "2"]


def title_of(project: Project, spec: bytes) -> str:
    folder = project.increments / "0001-from-its-folder"
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("metadata.json").write_text('{"status": "active"}')
    folder.joinpath("spec.md").write_bytes(spec)
    return project.manager.read("1").title


LONG = b"x" * 10_000


def test_a_title_is_found_wherever_it_stands(project: Project) -> None:
    front = b"---\nepic: X\ntitle: Front\n---\n"

    assert title_of(project, front + b"# Heading\n" + LONG) == "Front"
    assert title_of(project, b"# Heading\n" + LONG) == "Heading"
    assert title_of(project, LONG + b"\n# Late\n") == "Late"
    assert title_of(project, b"---\n# no heading\nkey: " + LONG + b"\ntitle: Far\n---\n") == "Far"
    assert title_of(project, b"```\n# code\n" + LONG + b"\n```\n# Behind\n") == "Behind"
    assert title_of(project, b"# " + "\u00e4".encode() * 5_000) == "\u00e4" * 5_000
    assert title_of(project, LONG) == "from its folder"
    assert title_of(project, b"# Head\n" + b"\xff" * 10) == "from its folder"
