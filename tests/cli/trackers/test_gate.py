"""unlatch sync --check: a gate fails closed, and names everything that it could not check."""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import NAME, Project
from tests.cli.terminal import Terminal
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
@pytest.mark.parametrize("tracker", TOKENS)
def test_a_tracker_without_a_token_fails_the_gate_and_the_others_are_checked(
    finished: Project, tracker: str, command: tuple[str, ...]
) -> None:
    without_tokens(finished, [tracker])
    done = finished.run(*command).ends(5, err="2 of 3 items checked")
    assert [TITLES[tracker]] == [one for one in TITLES.values() if f"{one}: 1 item not" in done.out]


def test_a_plan_counts_items_with_pending_operations_as_not_checked(finished: Project) -> None:
    assert 0 == finished.run("resume", "7", "--reason", "More", "--yes", "--offline").code
    without_tokens(finished)
    done = finished.run("sync", "--dry-run").ends(5)
    assert [1, 1, 1] == [done.out.count(f"{title}: 1 item not") for title in TITLES.values()]
    document = check(finished, "sync-plan", "sync", "--dry-run")
    assert set(TITLES) == {one["tracker"] for one in document["notChecked"]}
    assert 0 == finished.run("sync", "--dry-run", "--allow-missing-tokens").code


def test_what_could_be_checked_still_counts_where_missing_tokens_are_allowed(
    finished: Project,
) -> None:
    without_tokens(finished, ["ado", "jira"])
    by_hand(finished, "github", opens=True)
    finished.run("sync", "--check", "--allow-missing-tokens").ends(5, out="the item was reopened")


@pytest.mark.parametrize("command", READING)
def test_a_refused_token_is_no_missing_one_and_reported_once_with_a_count(
    with_issue: Project, command: tuple[str, ...]
) -> None:
    add_issues(with_issue, 20)
    with_issue.extra["GITHUB_TOKEN"] = "wrong"
    done = with_issue.run(*command, "--allow-missing-tokens").ends(5)
    assert 1 == done.said.count("GitHub does not accept the token")
    named = "octo/widgets#4, octo/widgets#100, octo/widgets#101 and 18 more"
    assert f"GitHub: 21 items not checked ({named}): " in done.out
    assert 6 > len(done.said.splitlines())


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("fault", ["drop", "html"])
def test_a_tracker_that_does_not_answer_fails_the_gate(
    with_issue: Project, command: tuple[str, ...], fault: str
) -> None:
    add_issues(with_issue, 2)
    with_issue.box.faults.add(Fault("github", fault, times=1000))
    with_issue.run("--max-wait", "0", *command).ends(5, out="GitHub: 3 items not checked (")


def test_every_item_that_was_not_checked_is_in_the_document(finished: Project) -> None:
    add_issues(finished, 5)
    without_tokens(finished)
    document = check(finished, "sync-plan", "sync", "--check")
    groups = {one["tracker"]: one for one in document["notChecked"]}
    assert {"github": 6, "ado": 1, "jira": 1} == {n: len(one["items"]) for n, one in groups.items()}
    assert ["SCRUM-28"] == groups["jira"]["items"]
    assert {("credential-missing", False)} == {
        (one["error"]["id"], one["allowed"]) for one in groups.values()
    }
    result = check(finished, "sync", "sync", "--allow-missing-tokens")
    assert [True] * 3 == [one["allowed"] for one in result["notChecked"]]


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


@pytest.mark.parametrize("columns", [60, 100])
def test_at_a_terminal_the_cause_of_a_difference_is_whole(in_step: Project, columns: int) -> None:
    for tracker in TOKENS:
        by_hand(in_step, tracker, opens=False)

    with Terminal(
        in_step, "sync", "--check", columns=columns, extra={"PYTHONUTF8": "1"}
    ) as terminal:
        assert 5 == terminal.end()

    lines = terminal.text.splitlines()
    start = next(line.index("What") for line in lines if "What" in line)
    words = " ".join(line[start:] for line in lines).split()
    cause = "needs a decision: the item was closed, and the increment is still open"
    assert 3 == " ".join(words).count(cause), terminal.text
    # Commands stay whole, so that they can be copied.
    lines = [line for line in lines if not line.startswith("  unlatch ")]
    assert columns >= max(map(len, lines)), terminal.text


def test_at_a_terminal_the_cause_for_items_that_were_not_checked_fits(in_step: Project) -> None:
    in_step.extra["GITHUB_TOKEN"] = "bad"
    with Terminal(in_step, "sync", "--check", columns=60, extra={"PYTHONUTF8": "1"}) as terminal:
        assert 5 == terminal.end()
    assert (
        "✗ GitHub: 1 item not checked (octo/widgets#4): GitHub does\n"
        "  not accept the token: Bad credentials [unauthorized]\n"
    ) in terminal.text


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


@pytest.mark.parametrize("key", ["gitlab", "GitLab"])
def test_an_item_of_a_tracker_without_a_plugin_can_be_excluded(project: Project, key: str) -> None:
    project.configure_more()
    project.increment(links={**project.items("github"), key: {"issue": 5}})
    off = 'direction = "off"'
    failed = project.run("sync", "--check").shows(
        out=(
            "names an item of gitlab, for which no plugin is installed [link-unread]",
            f"    to exclude them, set {off} in [sync.trackers.gitlab]\n",
        )
    )
    project.configure_more(tables=f"[sync.trackers.gitlab]\n{off}\n")
    done = project.run("sync", "--check")
    assert (5, 0) == (failed.code, done.code), done.said
    assert f"gitlab: 1 item not compared ({off})" in done.err


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
