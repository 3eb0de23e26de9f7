"""unlatch sync --comments: the commands in new comments, where no event tells of them."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from tests.cli.project import CLOSED, Project
from tests.cli.trackers.comment_desk import Desk as OnGithub
from tests.cli.trackers.test_comments_elsewhere import PEOPLE, Desk
from tests.delivery.stage import start

from unlatch.spi.text import ops_in
from unlatch_sandbox.clock import stored

TRACKERS = ("github", "ado", "jira")


@pytest.fixture
def asked(project: Project) -> Project:
    """An item of Ann's on each tracker, which she closed an hour ago and asks for now."""
    box = project.box
    box.github.add_person("ann", role="read")
    box.github.add_issue(number=4, title="Crash", author="ann")
    box.jira.add_issue("SCRUM-28", summary="Crash", status="In Progress", reporter="Ann")
    box.ado.add_work_item(id=101, title="Crash", state="Active", created_by="Ann")
    config = box.config()
    for name, people in PEOPLE.items():
        config = config.replace(f"[trackers.{name}]\n", f"[trackers.{name}]\n{people}")
    project.configure(config)
    OnGithub(project).close("ann")
    OnGithub(project).post("ann", "/reopen It crashes")
    for name in ("ado", "jira"):
        Desk(project, name).close("Ann")
        Desk(project, name).post("Ann", "/reopen It crashes")
    return project


def answers(project: Project) -> dict[str, int]:
    return {
        name: sum(bool(ops_in(text)) for text in texts)
        for name, texts in project.comments().items()
    }


def are_open(project: Project) -> set[str]:
    return {name for name, state in project.states().items() if state != CLOSED[name]}


def test_commands_on_all_trackers_are_carried_out_once(asked: Project) -> None:
    for again in (False, True, True):
        done = asked.run("sync", "--comments", "--yes")
        assert (0, set(TRACKERS)) == (done.code, are_open(asked)), done.said
        assert dict.fromkeys(TRACKERS, 1) == answers(asked)
        if again:
            asked.forget_local()


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", TRACKERS)
def test_an_event_a_look_and_another_machine_are_one_change(asked: Project, tracker: str) -> None:
    if tracker == "github":
        (number,) = [one["id"] for one in asked.box.github.comments("octo/widgets", 4)]
        event = {
            "action": "created",
            "issue": {"html_url": asked.urls["github"], "state": "closed"},
            "comment": {"id": number, "body": "/reopen"},
            "repository": {"default_branch": "main"},
        }
    else:
        box = asked.box
        found = box.ado.comments(101) if tracker == "ado" else box.jira.comments("SCRUM-28")
        event = Desk(asked, tracker).event(str(found[0]["id"]))
    path = asked.home / "event.json"
    path.write_text(json.dumps(event))
    ingest = ("ingest", "--from", f"{tracker}-event", str(path))
    runs = [start(asked, *words) for words in (ingest, ("sync", "--comments", "--yes"), ingest)]
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda run: run.communicate(timeout=120)[0], runs))
    assert {0} == {run.returncode for run in runs}, said
    asked.forget_local()
    assert 0 == asked.run("sync", "--comments", "--yes").code
    assert dict.fromkeys(TRACKERS, 1) == answers(asked)
    assert set(TRACKERS) == are_open(asked)


@pytest.mark.parametrize("change", ["gone", "edited"])
def test_a_comment_that_is_gone_or_edited_is_no_command(asked: Project, change: str) -> None:
    box, words = asked.box, None if change == "gone" else "/reopen It still crashes"
    (on_github,) = box.github.comments("octo/widgets", 4)
    (on_ado,) = box.ado.comments(101)
    (on_jira,) = box.jira.comments("SCRUM-28")
    later = stored(datetime.now(UTC) + timedelta(seconds=5))
    with asked.monkeypatch.context() as patch:
        patch.setattr(type(box.jira.tracks), "now", lambda _: later)
        box.github.edit_comment("octo/widgets", on_github["id"], words)
        box.ado.edit_comment(101, on_ado["id"], words)
        box.jira.edit_comment("SCRUM-28", on_jira["id"], words)
    done = asked.run("sync", "--comments", "--yes")
    assert (0, set()) == (done.code, are_open(asked)), done.said
    assert dict.fromkeys(TRACKERS, 0) == answers(asked)


@pytest.mark.sample(at=(3,))
@pytest.mark.parametrize(
    ("setting", "minutes", "is_seen"),
    [
        ("look_back = 1", 90, False),
        ("look_back = 2", 90, True),
        ("", 23 * 60, True),
        ("", 25 * 60, False),
    ],
)
def test_a_look_goes_back_as_many_hours_as_the_setting_says(
    asked: Project, setting: str, minutes: int, *, is_seen: bool
) -> None:
    github, desk = asked.box.github, OnGithub(asked)
    github.edit("octo/widgets", 4, state="open")
    desk.close("ann", ago=minutes + 60)
    (comment,) = github.comments("octo/widgets", 4)
    github.edit_comment("octo/widgets", comment["id"], None)
    then = stored(datetime.now(UTC) - timedelta(minutes=minutes))
    with asked.monkeypatch.context() as patch:
        patch.setattr(type(github.hub), "now", lambda _: then)
        desk.post("ann", "/reopen It crashes")
    config = (asked.root / ".unlatch/config.toml").read_text()
    asked.configure(f"{config}\n[comments]\n{setting}\n")
    done = asked.run("sync", "--comments", "--yes")
    assert (0, is_seen) == (done.code, "github" in are_open(asked)), done.said


def test_a_tracker_that_cannot_be_asked_holds_up_no_other(asked: Project) -> None:
    asked.extra["JIRA_API_TOKEN"] = None
    done = asked.run("sync", "--comments", "--yes", "--json")
    assert (5, {"github", "ado"}) == (done.code, are_open(asked)), done.said
    (failed,) = [one for one in done.document["comments"] if one["error"]]
    assert ("jira", None, 5) == (failed["where"], failed["comment"], failed["code"])
    words = ("sync", "--comments", "--yes", "--allow-missing-tokens")
    assert 0 == asked.run(*words).code


@pytest.mark.sweep
def test_a_thousand_comments_without_a_command_cost_ten_requests(project: Project) -> None:
    box = project.box
    box.github.add_issue(number=4, title="Crash", author="ann")
    hub = box.github.hub
    issue = hub.issue("octo/widgets", 4)
    assert issue is not None
    with hub.store.transaction():
        for _ in range(1000):
            hub.add_comment(issue, "Thanks", "ann")
    table = "[trackers.github]\n"
    project.configure(table + box.config().partition(table)[2].partition("\n[")[0])
    box.requests.clear()
    done = project.run("sync", "--comments", "--yes")
    sent = [f"{one.method} {one.path}" for one in box.requests.entries()]
    assert (0, True) == (done.code, len(sent) <= 10), sent


def test_the_settings_of_another_branch_count_for_nothing(asked: Project) -> None:
    asked.commit()
    asked.git("checkout", "--quiet", "-b", "mine")
    asked.git("update-ref", "refs/remotes/origin/main", "main")
    asked.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    asked.box.requests.clear()
    done = asked.run("sync", "--comments", "--yes")
    assert (2, []) == (done.code, asked.sent()), done.said
    assert "comment-settings" in done.err


@pytest.mark.parametrize("more", [["7"], ["--check"], ["--dry-run"], ["--changed-since", "main"]])
def test_it_is_for_a_whole_sync_that_may_write(asked: Project, more: list[str]) -> None:
    assert 2 == asked.run("sync", "--comments", *more).code
