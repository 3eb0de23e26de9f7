"""Link tests to an increment, and unlink them."""

from pathlib import Path

import pytest
from tests.cli.project import NAME, Project
from tests.cli.refusing import assert_refused


def test_tests_are_linked_once_and_unlinked(project: Project) -> None:
    project.increment()
    names = ("tests/test_search.py::test_finds", "search \u203a finds")
    arguments = [word for name in (*names, names[0]) for word in ("--test", name)]

    planned = project.run("link", "7", *arguments, "--dry-run")
    assert (0, "Nothing was written.\n") == (planned.code, planned.err)
    assert "guards" not in project.metadata()

    linked = project.run("link", "7", *arguments)
    assert "".join(f"✓ {name} linked\n" for name in names) == linked.out
    assert [*names] == project.metadata()["guards"]
    assert "No changes needed." in project.run("link", "7", *arguments).err

    project.run("unlink", "7", "--test", names[0])
    assert [names[1]] == project.metadata()["guards"]
    assert ["guards", "guards"] == [event["event"] for event in project.events()]
    said = project.run("history", "7").out
    assert f"guarded by: {names[0]}, {names[1]}" in said
    assert f"guarded by: not {names[0]}" in said
    project.run("unlink", "7", "--test", names[1])
    assert "guards" not in project.metadata()
    assert [] == project.wrote()


@pytest.mark.parametrize("name", ["", " ", "::", "a\nb", "a\x1b[31m", "n" * 1_001])
def test_what_is_no_name_of_a_test_is_refused(project: Project, name: str) -> None:
    project.increment()
    assert_refused(project.run("link", "7", "--test", name), 2, "test-name-invalid")
    assert "guards" not in project.metadata()


def test_an_unknown_test_is_not_unlinked(project: Project) -> None:
    project.increment()
    project.run("link", "7", "--test", "test_finds")
    done = project.run("unlink", "7", "--test", "test_find")
    assert_refused(done, 2, "unknown-test")
    assert f"'test_find' is not linked to {NAME}; its tests: test_finds" in done.err


def test_links_of_tests_that_are_no_list_stay_as_they_are(project: Project) -> None:
    project.increment(guards="test_finds")
    before = Path(project.folder() / "metadata.json").read_bytes()
    assert_refused(project.run("link", "7", "--test", "test_x"), 1, "metadata-invalid")
    assert before == Path(project.folder() / "metadata.json").read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [["7", "8"], ["7", "--create", "github"], ["7", "--suggest"]],
)
def test_tests_go_with_one_increment_alone(project: Project, arguments: list[str]) -> None:
    project.increment()
    project.increment("0008-other")
    assert 2 == project.run("link", *arguments, "--test", "test_x").code
