"""link and unlink take several increments."""

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import Project


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


def test_the_document_of_unlinking_many(three: Project) -> None:
    three.run("link", "1", three.urls["jira"])
    document = check(three, "unlink-many", "unlink", "1-2", "SCRUM-28")
    assert [("SCRUM-28", None), (None, "unknown-link")] == [
        (one["unlinked"] and one["unlinked"]["id"], one["error"] and one["error"]["id"])
        for one in document["increments"]
    ]
