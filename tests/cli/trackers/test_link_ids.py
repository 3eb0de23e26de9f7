"""link and unlink take several increments."""

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import Project
from tests.cli.terminal import Terminal


@pytest.fixture
def three(project: Project) -> Project:
    """0001 to 0003 without an item, and one item on each tracker."""
    project.items(finished=False)
    for number in (1, 2, 3):
        project.increment(f"{number:04d}-work", status="active")
    return project


def linked(project: Project, tracker: str) -> list[int]:
    names = (f"{number:04d}-work" for number in (1, 2, 3))
    return [n for n, name in enumerate(names, 1) if tracker in project.metadata(name)]


def test_each_of_several_increments_is_linked_to_each_item(three: Project) -> None:
    urls = three.urls["github"], three.urls["jira"]
    three.run("link", "1-2", "3", *urls).ends(
        0,
        err=(
            "2 items linked to 3 increments (6 links); nothing was posted.\n",
            "octo/widgets#4 is also linked to",
        ),
    )
    assert ([1, 2, 3], [1, 2, 3]) == (linked(three, "github"), linked(three, "jira"))
    assert [] == three.wrote()


def test_one_that_cannot_be_linked_leaves_the_others_done(three: Project) -> None:
    (three.folder("0002-work") / "metadata.json").write_text("{")
    document = check(three, "link-many", "link", "1-3", three.urls["github"])
    assert [("0001-work", None), ("0003-work", None), ("0002-work", "metadata-invalid")] == [
        (one["id"], one["error"] and one["error"]["id"]) for one in document["increments"]
    ]
    assert 5 == document["exitCode"]


def test_a_dry_run_and_a_wrong_order_of_words_link_nothing(three: Project) -> None:
    before = three.tree()
    planned = three.run("link", "1-3", three.urls["ado"], "--dry-run")
    refused = three.run("link", "1", three.urls["github"], "2")  # an address follows an address
    nameless = three.run("link", "1-2")
    assert (0, 2, 2, before) == (planned.code, refused.code, nameless.code, three.tree())
    said = "1 item would be linked to 3 increments (3 links); nothing was written.\n"
    assert said in planned.err
    address = f"{three.box.github.web_url}/octo/widgets/issues/NUMBER\n"
    assert f"next: unlatch link 1-2 {address}" in nameless.err
    assert three.run("unlink", "1").code == 2


def test_items_are_created_and_suggested_for_a_range(three: Project) -> None:
    suggested = check(three, "link-suggest", "link", "1-2", "--suggest")
    created = three.run("link", "1-2", "--create", "github")
    assert {"github": 2, "ado": 2, "jira": 2} == suggested["lacking"]
    assert (0, [1, 2]) == (created.code, linked(three, "github")), created.said


@pytest.mark.parametrize("columns", [60, 100, 200])
def test_an_item_is_unlinked_from_several(three: Project, columns: int) -> None:
    three.run("link", "1-2", three.urls["jira"])
    with Terminal(three, "unlink", "1-3", "jira", columns=columns) as terminal:
        assert terminal.end() == 5
        shown = terminal.text
    url = three.urls["jira"]
    assert f"✓ 0001-work: {url} unlinked\n✓ 0002-work: {url} unlinked\n" in shown
    assert "✗ 0003-work stays active: 0003-work has no link 'jira'; its links: none" in shown
    assert [] == linked(three, "jira")


def test_the_document_of_unlinking_many(three: Project) -> None:
    three.run("link", "1", three.urls["jira"])
    document = check(three, "unlink-many", "unlink", "1-2", "SCRUM-28")
    assert [("SCRUM-28", None), (None, "unknown-link")] == [
        (one["unlinked"] and one["unlinked"]["id"], one["error"] and one["error"]["id"])
        for one in document["increments"]
    ]
