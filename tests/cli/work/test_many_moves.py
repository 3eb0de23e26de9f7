"""Several increments, named one by one or by a range, moved by one command."""

import json

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import Project


@pytest.fixture
def five(project: Project) -> Project:
    """0001 and 0002 are active, 0003 and 0004 completed, 0006 is in planning."""
    statuses = {1: "active", 2: "active", 3: "completed", 4: "completed", 6: "planning"}
    for number, status in statuses.items():
        project.increment(f"{number:04d}-work", status=status)
    return project


def statuses(project: Project) -> list[str]:
    return [project.metadata(f"{number:04d}-work")["status"] for number in (1, 2, 3, 4, 6)]


def test_one_that_is_refused_leaves_the_others_done_and_each_cause_is_shown_once(
    five: Project,
) -> None:
    done = five.run("pause", "1-5", "6", "0001-work").ends(5)
    assert done.out == (
        "✓ Increment 0001-work: active -> paused\n"
        "✓ Increment 0002-work: active -> paused\n"
        "✗ 0003-work stays completed: 0003-work is completed; use `unlatch resume` to reopen it "
        "[finished]\n"
        "    unlatch resume 0003-work\n"
        "    1 more increment likewise: 0004-work\n"
        "✗ 0006-work stays planning: 0006-work is planning and cannot become paused "
        "[transition-refused]\n"
        "    unlatch start 0006-work\n"
    )
    assert done.err == "note: 1-5 is 0001-work, 0002-work, 0003-work, 0004-work\n"
    assert ["paused", "paused", "completed", "completed", "planning"] == statuses(five)


def test_a_range_that_cannot_be_used_names_the_command(five: Project) -> None:
    before = five.tree()
    done = five.run("pause", "5-1", "--reason", "on leave").shows(
        err=(
            "error[range-reversed]: the range 5-1 runs backwards\n",
            "unlatch pause 1-5 --reason 'on leave'\n",
        )
    )
    assert (done.code, five.tree()) == (2, before)
    for command in ("show", "history"):
        five.run(command, "4-9").ends(
            2,
            err=(
                "this command takes one increment, and 4-9 is 0004-work, 0006-work\n",
                f"next: unlatch {command} 0004-work\n",
            ),
        )


@pytest.mark.parametrize("command", ["start", "pause", "review", "backlog"])
def test_the_document_of_many_has_an_entry_for_each(five: Project, command: str) -> None:
    (five.folder("0002-work") / "metadata.json").write_text("{")
    document = check(five, f"{command}-many", command, "1-3")
    ids = [(one["id"], one["error"] and one["error"]["id"]) for one in document["increments"]]
    assert ("0001-work", None) == ids[0]
    assert [("0002-work", "metadata-invalid"), ("0003-work", "finished")] == ids[1:]
    assert [None, "completed"] == [one["status"] for one in document["increments"][1:]]


def test_a_range_without_an_increment_is_refused_and_nothing_else_is_done(five: Project) -> None:
    before = five.tree()
    for word, why in {
        "50-60": "none has a number from 50 to 60",
        "1-99999999999": "the numbers of a range have at most 9 digits",
    }.items():
        done = five.run("pause", "1", word)
        assert (2, before) == (done.code, five.tree())
        assert f"error[unknown-increment]: there is no increment '{word}': {why}\n" in done.err
    assert five.run("pause").code == 2
    # A range of one increment is still many for a script.
    document = check(five, "pause-many", "pause", "2-2")
    assert ["0002-work"] == [one["id"] for one in document["increments"]]


@pytest.mark.sample(at=(3, 4, 5, 6, 7))
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("pause", "1", "3"), 5),
        (("start", "3", "6"), 5),
        (("complete", "1", "6", "--offline"), 5),
        (("pause", "3", "6"), 1),
        (("start", "1", "3"), 1),
        (("complete", "3", "6", "--offline"), 1),
        (("unlink", "1", "6", "octo/widgets#4"), 5),
        (("unlink", "2", "6", "octo/widgets#4"), 2),
    ],
)
def test_a_dry_run_ends_with_the_code_of_the_command(
    five: Project, words: tuple[str, ...], code: int
) -> None:
    made = five.metadata("0001-work") | {"github": five.items("github")["github"]}
    (five.folder("0001-work") / "metadata.json").write_text(json.dumps(made))
    previewed = five.run(*words, "--dry-run")
    done = five.run(*words)
    assert (code, code) == (previewed.code, done.code), previewed.said + done.said
