"""Comments without a command on closed items, closing notes, and the days in which one may ask."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.cli.project import Project
from tests.cli.trackers.comment_desk import REPOSITORY, Desk, add_people


@pytest.fixture
def desk(project: Project) -> Desk:
    add_people(project)
    project.box.github.add_issue(number=4, title="Crash", author="ann", labels=["bug"])
    desk = Desk(project)
    desk.close("stale[bot]", "not_planned")
    return desk


def configure(desk: Desk, *settings: str) -> None:
    desk.project.configure_more(tables="\n".join(["[comments]", *settings, ""]))


@pytest.mark.parametrize(
    ("user", "words", "state"),
    [
        ("ann", "It still crashes with 2.1, on startup", "open"),
        ("ann", "Thanks, works now!", "closed"),
        ("oda", "It still crashes with 2.1, on startup", "closed"),
        ("wes", "It still crashes with 2.1, on startup", "closed"),
        ("helper[bot]", "It still crashes with 2.1, on startup", "closed"),
    ],
)
def test_the_author_reopens_with_words_alone(desk: Desk, user: str, words: str, state: str) -> None:
    configure(desk, 'follow_up = "reopen"')
    done = desk.say(user, words)
    assert (0, state) == (done.code, desk.state), done.said
    assert (1 if state == "open" else 0) == len(desk.answers)


@pytest.mark.parametrize(("closer", "ago"), [("wes", 60), ("ann", 0)])
def test_the_close_of_another_person_or_of_a_moment_ago_stands_without_an_answer(
    desk: Desk, closer: str, ago: int
) -> None:
    configure(desk, 'follow_up = "reopen"')
    desk.project.box.github.edit(REPOSITORY, 4, state="open")
    desk.close(closer, ago=ago)
    done = desk.say("ann", "It still crashes with 2.1, on startup")
    assert (0, "closed", []) == (done.code, desk.state, desk.answers), done.said


def test_a_label_shows_that_the_author_wrote_again(desk: Desk) -> None:
    configure(desk, 'follow_up = "label"', 'follow_up_label = "needs-look"')
    done = [desk.say("ann", words) for words in ("It still crashes", "Does anybody read this?")]
    assert ([0, 0], "closed", []) == ([each.code for each in done], desk.state, desk.answers)
    assert "Labeled needs-look: its author wrote again." in done[0].said
    labels = desk.project.box.github.issue(REPOSITORY, 4)["labels"]
    assert ["bug", "needs-look"] == [label["name"] for label in labels]
    assert not any(sent.startswith("POST v3") for sent in desk.sent), desk.sent


def test_by_default_words_alone_cost_no_request(desk: Desk) -> None:
    done = desk.say("ann", "It still crashes with 2.1, on startup")
    assert (0, "closed", []) == (done.code, desk.state, desk.sent), done.said


@pytest.mark.parametrize("as_words", ["", "--comment=short", "--comment=none"])
def test_the_comment_of_a_close_says_how_to_get_it_back(desk: Desk, as_words: str) -> None:
    configure(desk, "closing_note = true", "days = 30")
    project = desk.project
    project.box.github.edit(REPOSITORY, 4, state="open")

    done = project.run("close", desk.url, "--reason", "Done", *filter(None, [as_words]))

    assert (0, "closed") == (done.code, desk.state), done.said
    last = (datetime.now(UTC) + timedelta(days=30)).date()
    note = f"write a comment with the line **/reopen REASON**, until {last} (UTC)."
    noted = [text for text in desk.answers if note in text.replace("\\", "")]
    assert (0 if "none" in as_words else 1) == len(noted), desk.answers
    if noted:
        opened = desk.say("ann", "/reopen It crashes")
        assert (0, "open") == (opened.code, desk.state), opened.said
        assert note not in desk.answers[-1].replace("\\", "")


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize(("days", "state"), [(2, "closed"), (4, "open"), (0, "open")])
def test_an_author_may_ask_for_some_days(desk: Desk, days: int, state: str) -> None:
    configure(desk, f"days = {days}")
    desk.project.box.github.edit(REPOSITORY, 4, state="open")
    desk.close("ann", ago=3 * 24 * 60 + 24 * 60 // 2)
    done = desk.say("ann", "/reopen It crashes")
    assert (0, state) == (done.code, desk.state), done.said
    if state == "closed":
        assert "closed too long ago" in desk.answers[-1]
        assert (0, "open") == (desk.say("tim", "/reopen Now").code, desk.state)
