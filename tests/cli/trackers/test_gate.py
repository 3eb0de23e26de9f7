"""unlatch sync --check: a gate fails closed, and names everything that it could not check."""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from tests.cli.project import NAME, Project
from tests.cli.trackers.test_sync import by_hand, finished, in_step, in_sync, with_issue, writes

from unlatch_sandbox import Fault

__all__ = ["finished", "in_step", "with_issue"]
TOKENS = {
    "github": ("GITHUB_TOKEN",),
    "ado": ("AZURE_DEVOPS_EXT_PAT",),
    "jira": ("JIRA_API_TOKEN", "JIRA_EMAIL"),
}
TITLES = {"github": "GitHub", "ado": "Azure DevOps", "jira": "Jira"}
READING = (("sync", "--check"), ("sync", "--dry-run"), ("sync",))


def without_tokens(project: Project, trackers: Iterable[str] = TOKENS) -> None:
    project.extra |= {name: None for tracker in trackers for name in TOKENS[tracker]}


def add_issues(project: Project, count: int) -> None:
    """Completed increments with a closed issue each, in sync."""
    for number in range(100, 100 + count):
        issue = project.box.github.add_issue(
            number=number, title="Another", state="closed", state_reason="completed"
        )
        url = f"{project.box.github.web_url}/octo/widgets/issues/{issue}"
        links = in_sync({"github": {"issue": issue, "url": url}}, is_open=False)
        project.increment(f"{number:04}-other", links=links)


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("command", READING)
def test_without_any_token_nothing_was_checked_which_may_be_allowed(
    finished: Project, command: tuple[str, ...]
) -> None:
    without_tokens(finished)
    before = finished.tree()
    done = finished.run(*command).shows(err="0 of 3 items checked", lacks="in sync")
    allowed = finished.run(*command, "--allow-missing-tokens")
    assert (5, 0) == (done.code, allowed.code), done.said + allowed.said
    assert (before, []) == (finished.tree(), writes(finished))
    for title in TITLES.values():
        assert f"{title}: 1 item not checked (" in done.out
    assert 3 == allowed.out.count("not checked (")
    assert 3 == allowed.out.count("allowed by --allow-missing-tokens")


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("fault", ["drop", "html"])
def test_a_tracker_that_does_not_answer_fails_the_gate(
    with_issue: Project, command: tuple[str, ...], fault: str
) -> None:
    add_issues(with_issue, 2)
    with_issue.box.faults.add(Fault("github", fault, times=1000))
    with_issue.run("--max-wait", "0", *command).ends(5, out="GitHub: 3 items not checked (")


def test_items_of_a_tracker_without_settings_fail_the_gate(finished: Project) -> None:
    finished.configure("")
    finished.run("sync", "--check").ends(
        5, out=("Jira: 1 item not checked (", "tracker-not-configured")
    )


def test_a_tracker_that_is_switched_off_is_not_missed(finished: Project) -> None:
    off = [f'[sync.trackers.{name}]\ndirection = "off"\n' for name in TOKENS]
    finished.configure("".join(off))
    finished.run("sync", "--check").ends(0, whole_out="")


def test_an_item_that_is_gone_fails_the_gate(with_issue: Project) -> None:
    url = f"{with_issue.box.github.web_url}/octo/widgets/issues/98"
    with_issue.increment("0008-gone", links={"github": {"issue": 98, "url": url}})
    with_issue.run("sync", "--check", "--allow-missing-tokens").ends(5, out="octo/widgets#98")


@pytest.mark.parametrize("tracker", TOKENS)
def test_the_status_of_a_tracker_without_a_token_fails_once(
    finished: Project, tracker: str
) -> None:
    add_issues(finished, 2)
    without_tokens(finished)

    done = finished.run(tracker, "status")

    assert (4, "") == (done.code, done.out), done.said
    assert 1 == done.err.count("no token found")


def test_the_status_of_a_tracker_names_the_next_step_once_for_a_cause(with_issue: Project) -> None:
    for number in (97, 98):
        url = f"{with_issue.box.github.web_url}/octo/widgets/issues/{number}"
        with_issue.increment(f"00{number}-gone", links={"github": {"issue": number, "url": url}})
    done = with_issue.run("github", "status").ends(5, out="octo/widgets#4")
    assert ["2 items unknown [item-not-found]. Next: "] == re.findall(
        r"^.*Next: ", done.err, re.MULTILINE
    )


def test_an_event_about_an_issue_that_cannot_be_read_is_no_success(with_issue: Project) -> None:
    without_tokens(with_issue)
    event = with_issue.home / "event.json"
    event.write_text(
        f'{{"action": "reopened", "issue": {{"html_url": "{with_issue.urls["github"]}"}}}}'
    )
    with_issue.run("ingest", "--from", "github-event", str(event)).ends(
        5, out="GitHub: 1 item not checked (octo/widgets#4): "
    )
    assert "completed" == with_issue.metadata(NAME)["status"]


ISSUE = "https://github.com/octo/widgets/issues/4"


UNREADABLE: dict[str, dict[str, Any]] = {
    "/github": {"github": []},
    "/github null": {"github": None},
    "/github text": {"github": "the issue"},
    "/github id": {"github": {"id": 5}},
    "/github num": {"github": {"num": 5}},
    "/github link": {"github": {"link": ISSUE}},
    "/GitHub": {"GitHub": {"issue": 4, "url": ISSUE}},
    "/linear": {"linear": {"issueId": "ENG-1", "url": "https://linear.app/x"}},
    "/externalLinks/pivotal": {"externalLinks": {"pivotal": {"story": 7}}},
}


@pytest.mark.parametrize("command", READING)
def test_links_that_cannot_be_read_were_not_checked(
    project: Project, command: tuple[str, ...]
) -> None:
    project.configure_more()
    places = set()
    for number, (place, links) in enumerate(UNREADABLE.items(), 1):
        name = project.increment(f"{number:04}-odd", links=links)
        places.add(f"{name}:{place.split()[0]}")
    project.run(*command).ends(
        5, out="GitHub: 7 items not checked (0001-odd:/github, ", lacks="in sync"
    )
    groups = project.run(*command, "--json").document["notChecked"]
    assert places == {item for group in groups for item in group["items"]}
    assert {"link-unread"} == {group["error"]["id"] for group in groups}
    findings = project.run("doctor", "--json").document["findings"]
    assert len(places) == [one["id"] for one in findings].count("link-unread")


def test_an_odd_entry_beside_a_readable_one_was_not_checked(project: Project) -> None:
    project.configure_more()
    good = project.items("github")["github"]
    project.increment(links={"github": {"issues": [good, {"foo": 1}, {"story": "US-001"}]}})
    project.run("sync", "--check").ends(
        5, out=f"1 item not checked ({NAME}:/github/issues/1)", err="1 of 2 items checked"
    )


def test_a_tracker_that_is_not_compared_is_named(finished: Project) -> None:
    finished.configure_more(tables='[sync.trackers.github]\ndirection = "off"\n')
    by_hand(finished, "github", opens=True)
    finished.run("sync", "--check").ends(
        0,
        err=(
            'GitHub: 1 item not compared (direction = "off")',
            "Both sides are in sync as far as they were compared.\n",
        ),
    )
