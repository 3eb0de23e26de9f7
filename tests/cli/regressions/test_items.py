"""What linked items say: alerts that they name, and the commits that closed them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.cli.project import NAME, Project
from tests.cli.regressions.test_alerts import CODE, HOST, SECRET, github, write
from tests.cli.regressions.test_regressions import REPOSITORY, Desk

import unlatch_ado
import unlatch_github
from unlatch.spi import Capability
from unlatch_sandbox import Fault
from unlatch_sandbox.github.records import MadeCommit

ALERT = f"{HOST}/code-scanning/4"
BOTH = "[regressions]\npolicy = {alert = 'reopen', revert = 'reopen'}\n"
MADE = {
    "2025-12-01T10:00:00+00:00": ("search.txt", "Speed up search"),
    "2025-12-01T11:00:00+00:00": ("index.txt", "Shrink the index"),
}
NOTHING = "it belongs to nothing known"
UNSEARCHED = "not all items could be searched"
UNREAD = "it belongs to nothing that could be read"
STRANGER = "a person without rights in its repository wrote the text that names it"


class ItemDesk(Desk):
    """Work whose files and commits name neither an alert nor an item."""

    def _build(self, project: Project) -> None:
        links = project.items(*self.trackers, finished=False)
        project.increment(status="active", links=links)
        project.commit()
        for moment, (name, message) in MADE.items():
            project.extra["GIT_AUTHOR_DATE"] = moment
            self.change(name, "better\n", message)
        del project.extra["GIT_AUTHOR_DATE"]
        self.complete()

    def __init__(self, project: Project, *trackers: str) -> None:
        self.trackers = trackers
        super().__init__(project, f"{BOTH}# {trackers}\n")
        project.box.requests.clear()

    @property
    def asked(self) -> int:
        """How many requests were sent."""
        return self.project.box.requests.count()

    def alert(self, url: str = ALERT, *options: str, code: int = 0) -> Any:
        """What follows from an alert at this address that is open again."""
        event = write(self.project, github("reopened", {**CODE, "html_url": url}))
        done = self.project.run("regressions", "--json", "--event", event, *options)
        return done.ends(code).document


@pytest.fixture(autouse=True)
def _secret(project: Project) -> None:
    project.extra["UNLATCH_ALERT_SECRET"] = SECRET


def adf(text: str, url: str | None = None) -> dict[str, Any]:
    marks = {"marks": [{"type": "link", "attrs": {"href": url}}]} if url else {}
    words = {"type": "text", "text": text, **marks}
    return {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [words]}]}


def _say(project: Project, tracker: str, text: Any) -> None:
    """Let a person describe an item so."""
    box = project.box
    if tracker == "github":
        box.github.edit(REPOSITORY, 4, body=text)
    elif tracker == "ado":
        box.ado.edit(101, description=text)
    else:
        box.jira.edit("SCRUM-28", description=text)


def test_an_alert_belongs_to_the_work_whose_item_names_it(project: Project) -> None:
    desk = ItemDesk(project, "github", "ado", "jira")
    here = f"{project.box.github.web_url}/{REPOSITORY}/security/code-scanning/4"
    others = "https://github.com/octo/gadgets/security/code-scanning/4"
    cases: list[tuple[str, Any, str, bool]] = [
        ("github", f"See [this]({ALERT}).", ALERT, True),
        ("github", f"<!-- {ALERT} --> <script>alert(1)</script> ", ALERT, True),
        ("github", f"{ALERT}2 {others} #4", ALERT, False),
        # A number counts in its own repository.
        ("github", "Found by Code scanning alert #4, and others", here, True),
        ("github", "Found by code scanning\nalert **#4**", here, True),
        ("github", "Found by Code  scanning alert #4.", here.replace("octo", "Octo"), True),
        ("github", "Found by Code scanning alert #44 (alert #4, #4)", here, False),
        ("github", "Found by Code scanning alert #4.5", here, False),
        ("github", "Found by Code scanning alert #4", ALERT, False),
        ("ado", f'<p>See <a class="x" href="{ALERT}">this</a>.</p>', ALERT, True),
        ("ado", f"<p>&lt;{ALERT}&gt;</p>", ALERT, True),
        ("ado", "<p>Code scanning alert #4</p>", ALERT, False),
        ("jira", adf("this", ALERT), ALERT, True),
        ("jira", adf(f"See {ALERT}."), ALERT, True),
        ("jira", adf("Code scanning alert #4, #4"), here, False),
    ]
    for tracker, text, url, is_named in cases:
        _say(project, tracker, text)
        [cause] = desk.alert(url)["causes"]
        expected = (NAME, "reopen", None) if is_named else (None, "ignore", NOTHING)
        actual = (cause["increment"], cause["reaction"], cause["why"])
        assert expected == actual, (tracker, text)
        _say(project, tracker, adf("-") if tracker == "jira" else "")
    project.box.ado.add_link(101, ALERT)
    assert NAME == desk.alert()["causes"][0]["increment"]


@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_the_text_of_a_stranger_only_suggests(project: Project, tracker: str) -> None:
    desk, box = ItemDesk(project, tracker), project.box
    link: dict[str, Any]
    if tracker == "github":
        box.github.add_person("stranger")
        number = box.github.add_issue(title="It is broken", body=ALERT, author="stranger")
        url = f"{box.github.web_url}/{REPOSITORY}/issues/{number}"
        link = {"issue": number, "url": url}
    else:
        key = box.jira.add_issue(summary=f"Broken: {ALERT}", reporter="Cora (customer)")
        link = {"issueKey": key, "url": f"{box.jira.site}/browse/{key}"}
    name = project.increment("0008-repair-it", links={tracker: link})
    desk.commit("Finish more")
    [cause] = desk.alert()["causes"]
    assert (name, "suggest", STRANGER) == (cause["increment"], cause["reaction"], cause["why"])
    # They weaken nothing that others wrote.
    _say(project, tracker, ALERT if tracker == "github" else adf(ALERT))
    [cause] = desk.alert()["causes"]
    assert (NAME, "reopen", None) == (cause["increment"], cause["reaction"], cause["why"])


def test_items_are_read_once_and_only_for_alerts_that_belong_to_nothing(project: Project) -> None:
    desk = ItemDesk(project, "github")
    for number in range(11, 16):
        issue = project.box.github.add_issue(number=number, title="More", state="closed")
        url = f"{project.box.github.web_url}/{REPOSITORY}/issues/{issue}"
        project.increment(f"00{number}-more", links={"github": {"issue": issue, "url": url}})
    desk.commit("Finish more")
    project.box.requests.clear()
    desk.alert()
    assert 1 == desk.asked
    desk.read()
    (desk.project.folder() / "spec.md").write_text(f"# Search\n\n{ALERT}\n")
    desk.commit("Name it")
    assert NAME == desk.alert()["causes"][0]["increment"]
    assert 1 == desk.asked


REFUSED = {"errors": [{"type": "FORBIDDEN", "path": ["a0", "closes"], "message": "Not for you"}]}
FAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "unreachable": ("drop", {"times": 9}),
    "forbidden": ("status", {"code": 403, "body": {"message": "Resource not accessible"}}),
    "unauthorized": ("status", {"code": 401, "body": {"message": "Bad credentials"}}),
    "rate-limited": ("rate-limit", {"form": "seconds", "seconds": 9999}),
    "tracker-unavailable": ("status", {"code": 503, "times": 9}),
}


def _not_searched(document: Any) -> list[tuple[Sequence[str], str]]:
    return [(entry["items"], entry["error"]["id"]) for entry in document["notSearched"]]


@pytest.mark.parametrize("id", FAULTS)
def test_what_a_tracker_does_not_tell_is_never_nothing(project: Project, id: str) -> None:
    desk = ItemDesk(project, "github", "jira")
    _say(project, "jira", adf("-"))
    kind, options = FAULTS[id]
    project.box.faults.add(Fault("github", kind, path="graphql", **options))
    document = desk.alert(code=5)
    [cause] = document["causes"]
    assert (None, UNREAD) == (cause["increment"], cause["why"])
    [(items, error)] = _not_searched(document)
    assert ["octo/widgets#4"] == items
    assert (id if id != "unreachable" else "tracker-unavailable") == error


@pytest.mark.parametrize("reason", ["503", "no token", "no capability"])
def test_what_one_tracker_tells_only_suggests_where_another_was_not_searched(
    project: Project, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    desk = ItemDesk(project, "github")
    _say(project, "github", ALERT)
    project.box.ado.add_work_item(id=102, title="Search", state="Closed", description=ALERT)
    url = f"{project.box.ado.web_url}/widgets/_workitems/edit/102"
    project.increment("0008-index-it", links={"ado": {"workItemId": 102, "url": url}})
    desk.commit("Finish more")
    several = desk.alert()["causes"]
    assert ["it belongs to 2 increments"] * 2 == [cause["why"] for cause in several]
    if reason == "503":
        project.box.faults.add(Fault("ado", "status", code=503, times=20))
    elif reason == "no token":
        project.extra["AZURE_DEVOPS_EXT_PAT"] = None
    else:
        manifest = unlatch_ado.manifest
        plain = replace(manifest, capabilities=manifest.capabilities - {Capability.BACKGROUND})
        monkeypatch.setattr(unlatch_ado, "manifest", plain)
    [cause] = desk.alert(code=5 if reason == "503" else 0)["causes"]
    assert (NAME, "suggest", UNSEARCHED) == (cause["increment"], cause["reaction"], cause["why"])


def test_other_items_that_cannot_be_read(project: Project) -> None:
    desk = ItemDesk(project, "github", "ado")
    box = project.box
    box.github.edit(REPOSITORY, 4, deleted=True)
    # It names the alert behind the part that is read.
    _say(project, "ado", f"<p>{'x ' * 600_000}{ALERT}</p>")
    document = desk.alert(code=5)
    assert UNREAD == document["causes"][0]["why"]
    assert [
        (["octo/widgets#4"], "item-deleted"),
        (["fabrikam/widgets 101"], "item-too-long"),
    ] == sorted(_not_searched(document), reverse=True)
    said = project.run("regressions", "--event", str(project.home / "event.json")).ends(5).said
    assert "not searched: octo/widgets#4: " in said
    assert "Nothing breaks" not in said


def test_a_part_that_github_refuses_is_not_taken_for_none(project: Project) -> None:
    desk = ItemDesk(project, "github")
    _say(project, "github", ALERT)
    issue = {"__typename": "PullRequest", "number": 4}
    body = {"data": {"a0": {"issueOrPullRequest": issue}}, **REFUSED}
    project.box.faults.add(Fault("github", "status", path="graphql", code=200, body=body))
    assert [(["octo/widgets#4"], "forbidden")] == _not_searched(desk.alert(code=5))


def test_without_a_token_offline_and_without_the_capability_it_is_said(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = ItemDesk(project, "github")
    _say(project, "github", ALERT)
    assert ["items-not-asked"] == [
        entry["error"]["id"] for entry in desk.alert(ALERT, "--offline")["notSearched"]
    ]
    project.extra["GITHUB_TOKEN"] = None
    document = desk.alert()
    assert [(["octo/widgets#4"], "credential-missing")] == _not_searched(document)
    assert UNREAD == document["causes"][0]["why"]
    assert 0 == desk.asked
    manifest = unlatch_github.manifest
    plain = replace(manifest, capabilities=manifest.capabilities - {Capability.BACKGROUND})
    monkeypatch.setattr(unlatch_github, "manifest", plain)
    [entry] = desk.alert()["notSearched"]
    assert "the plugin for GitHub does not read what items say" == entry["error"]["message"]


# How the work of a pull request came to the default branch, and what the trackers tell of it.


def _squashed(desk: ItemDesk) -> None:
    """The subject was edited, and the branch is gone."""
    made = MadeCommit(desk.fix, authored="2020-01-01T00:00:00Z")
    desk.project.box.github.merge_pull_request(
        REPOSITORY, 12, closes=4, commits=[made, MadeCommit("e" * 40, "ann@example.com")]
    )


def _rebased(desk: ItemDesk) -> None:
    """The last commit has the new id, the others the ids of before."""
    old = [MadeCommit(f"{at:040x}", authored=moment) for at, moment in enumerate(MADE)]
    desk.project.box.github.merge_pull_request(
        REPOSITORY, 12, closes=4, commits=[MadeCommit(desk.other), *old]
    )


def _pushed(desk: ItemDesk) -> None:
    desk.project.box.github.push_commit(REPOSITORY, MadeCommit(desk.fix), closes=4)


def _linked(desk: ItemDesk) -> None:
    place = f"{'0' * 8}%2F{'1' * 8}%2F{desk.fix.upper()}"
    desk.project.box.ado.add_link(101, f"vstfs:///Git/Commit/{place}", name="Fixed in Commit")


TELLS: dict[str, tuple[str, Callable[[ItemDesk], None]]] = {
    "squash": ("github", _squashed),
    "rebase": ("github", _rebased),
    "commit": ("github", _pushed),
    "linked commit": ("ado", _linked),
}


@pytest.mark.parametrize("way", TELLS)
def test_a_revert_of_what_closed_the_item_reopens_the_work(project: Project, way: str) -> None:
    tracker, tell = TELLS[way]
    desk = ItemDesk(project, tracker)
    assert ([], 0) == (desk.results(), desk.asked)
    before = len(project.comments()[tracker])
    tell(desk)
    revert = desk.revert(desk.fix)
    assert [("revert", revert[:10], "reopen", "reopen")] == desk.results()
    desk.apply().ends(0, "completed -> active")
    assert before + 1 == len(project.comments()[tracker])
    desk.commit("Reopen")
    desk.apply().ends(0)
    assert before + 1 == len(project.comments()[tracker])
    # Where the tracker cannot be asked, it is not known that the cause has gone.
    again = desk.revert(revert)
    project.box.faults.add(Fault(tracker, "status", code=503, times=9))
    document = project.run("regressions", "--json").ends(5).document
    assert ([], []) == (document["causes"], document["completing"])
    project.box.faults.clear()
    [completing] = desk.read()["completing"]
    assert (NAME, again) == (completing["id"], completing["gone"][0]["commit"])


def test_a_merged_pull_request_whose_message_was_edited(project: Project) -> None:
    desk = ItemDesk(project, "github")
    made = MadeCommit(desk.fix)
    project.box.github.merge_pull_request(REPOSITORY, 12, closes=4, commits=[made])
    # It reverts the other commit as well, which is no work.
    desk.git("revert", "--no-commit", desk.other)
    other = desk.commit(f"Back\n\nThis reverts commit {desk.other}.")
    assert [] == desk.results()
    assert 1 == desk.asked
    desk.revert(other)
    revert = desk.revert(desk.fix)
    assert [revert[:10]] == [place for _, place, *_ in desk.results()]


def test_the_pull_request_of_azure_devops_is_known_by_the_subject_of_its_merge(
    project: Project,
) -> None:
    desk = ItemDesk(project, "ado")
    project.run("resume", "7", "--reason", "More", "--yes").ends(0)
    desk.commit("Reopen")
    desk.git("switch", "--quiet", "--create", "side")
    slow = desk.change("slow.txt", "1\n", "Count")
    desk.git("switch", "--quiet", "main")
    desk.git("merge", "--quiet", "--no-ff", "--message", "Merged PR 12: Count", "side")
    desk.complete()
    place = f"{'0' * 8}%2f{'1' * 8}%2f12"
    project.box.ado.add_link(101, f"vstfs:///Git/PullRequestId/{place}", name="Pull Request")
    revert = desk.revert(slow)
    assert [("revert", revert[:10], "reopen", "reopen")] == desk.results()


@pytest.mark.parametrize("tells", ["host", "message"])
def test_what_a_branch_merged_from_the_default_branch_is_not_its_work(
    project: Project, tells: str
) -> None:
    desk = ItemDesk(project, "github")
    project.run("resume", "7", "--reason", "More", "--yes").ends(0)
    desk.commit("Reopen")
    desk.git("switch", "--quiet", "--create", "side")
    made = desk.change("slow.txt", "1\n", "Count")
    desk.git("switch", "--quiet", "main")
    before = desk.change("sort.txt", "1\n", "Sort")
    desk.git("switch", "--quiet", "side")
    desk.git("merge", "--quiet", "--no-ff", "--message", "Merge branch 'main' into side", "main")
    update = desk.git("rev-parse", "HEAD")
    desk.git("switch", "--quiet", "main")
    message = "Merge pull request #12" + ("\n\nFixes #4" if tells == "message" else "")
    desk.git("merge", "--quiet", "--no-ff", "--message", message, "side")
    merge = desk.git("rev-parse", "HEAD")
    desk.complete()
    if tells == "host":
        project.box.github.edit(REPOSITORY, 4, state="open")
        commits = [MadeCommit(name) for name in (merge, made, update)]
        project.box.github.merge_pull_request(REPOSITORY, 12, closes=4, commits=commits)
    desk.revert(before)
    assert [] == desk.results()
    revert = desk.revert(made)
    assert [revert[:10]] == [place for _, place, *_ in desk.results()]


@pytest.mark.parametrize(
    ("repository", "is_own"),
    [
        ("Octo/Widgets", True),
        ("fabrikam/search", True),
        ("", True),
        ("octo/gadgets", False),
    ],
)
def test_the_number_of_a_pull_request_counts_in_its_own_repository(
    project: Project, repository: str, *, is_own: bool
) -> None:
    desk = ItemDesk(project, "github")
    desk.git("remote", "add", "origin", "git@github.com:fabrikam/search.git")
    project.run("resume", "7", "--reason", "More", "--yes").ends(0)
    desk.commit("Reopen")
    desk.change("slow.txt", "1\n", f"Count for {NAME} (#12)")
    desk.complete()
    revert = desk.change("slow.txt", "2\n", f"Back\n\nReverts {repository}#12")
    [cause] = desk.read()["causes"]
    expected = (NAME, None) if is_own else (None, f"{repository} is not known as this repository")
    assert expected == (cause["increment"], cause["why"])
    assert (revert[:10], is_own) == (cause["place"], cause["reaction"] == "reopen")


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "closed by hand"])
def test_a_pull_request_without_its_number_in_a_subject(project: Project, *, is_told: bool) -> None:
    desk = ItemDesk(project, "github")
    if is_told:
        made = [MadeCommit(desk.fix)]
        project.box.github.merge_pull_request(REPOSITORY, 12, closes=4, commits=made)
    # It does not undo the commit: that file has changed since.
    revert = desk.change("search.txt", "slow\n", f"Back (#20)\n\nReverts {REPOSITORY}#12")
    [cause] = desk.read()["causes"]
    unknown = "it cannot be told which commits pull request 12 has"
    expected = (NAME, None) if is_told else (None, unknown)
    assert (revert[:10], *expected) == (cause["place"], cause["increment"], cause["why"])


def test_what_no_work_can_be_about_is_not_asked_for(project: Project) -> None:
    desk = ItemDesk(project, "github")
    later = desk.change("later.txt", "1\n", "Another pull request (#13)")
    desk.revert(later)
    assert ([], 0) == (desk.results(), desk.asked)
    # The same before a completion.
    project.run("resume", "7", "--reason", "More", "--yes").ends(0)
    reopen = desk.commit("Reopen")
    desk.complete()
    project.box.requests.clear()
    assert ([], 0) == (desk.results(), desk.asked)
    # Records of increments are no work, also where a pull request changed them.
    spec = desk.project.folder() / "spec.md"
    spec.write_text("# Smart\n")
    metadata = desk.project.folder() / "metadata.json"
    metadata.write_text(f"{metadata.read_text()}\n")
    desk.commit(f"Tidy\n\nThis reverts commit {reopen}.")
    assert ([], 0) == (desk.results(), desk.asked)
    made = [MadeCommit(desk.other), MadeCommit(reopen)]
    project.box.github.edit(REPOSITORY, 4, state="open")
    project.box.github.merge_pull_request(REPOSITORY, 13, closes=4, commits=made)
    revert = desk.revert(desk.other)
    assert ([revert[:10]], 1) == ([place for _, place, *_ in desk.results()], desk.asked)


def test_what_is_behind_the_limits_of_the_query_is_said(project: Project) -> None:
    desk = ItemDesk(project, "github")
    hub = project.box.github
    branch = [MadeCommit(f"{at:040x}") for at in range(100)]
    for number, commits in ((11, branch), (12, [*branch, MadeCommit(desk.fix)])):
        hub.edit(REPOSITORY, 4, state="open")
        merged = [MadeCommit("a" * 40), *commits]
        hub.merge_pull_request(REPOSITORY, number, closes=4, commits=merged)
    desk.revert(desk.fix)
    [entry] = desk.read()["notSearched"]
    left_out = "all but the first 100 commits of #12 were left out"
    assert (["octo/widgets#4"], left_out) == (entry["items"], entry["error"]["message"])
    for _ in range(5):
        hub.edit(REPOSITORY, 4, state="open")
        hub.edit(REPOSITORY, 4, state="closed")
    said = project.run("regressions").ends(0).said
    assert "not searched: octo/widgets#4: all but the last 5 closes were left out" in said
    assert "Nothing breaks" not in said


def test_a_commit_that_closed_more_items_than_its_message_names(project: Project) -> None:
    desk = Desk(project, BOTH)
    box = project.box
    number = box.github.add_issue(number=5, title="Small", state="open")
    url = f"{box.github.web_url}/{REPOSITORY}/issues/{number}"
    other = project.increment("0008-small", links={"github": {"issue": number, "url": url}})
    desk.commit("Finish more")
    box.github.merge_pull_request(REPOSITORY, 12, closes=number, commits=[MadeCommit(desk.fix)])
    desk.revert(desk.fix)
    box.requests.clear()
    assert {NAME, other} == {cause["increment"] for cause in desk.read()["causes"]}
    assert 1 == box.requests.count()


@pytest.mark.parametrize("known", [True, False], ids=["named", "only undone"])
def test_a_revert_that_is_explained_asks_no_tracker(project: Project, *, known: bool) -> None:
    desk = Desk(project, BOTH)
    desk.git("revert", "--no-commit", desk.fix)
    desk.commit(f"Back\n\nThis reverts commit {desk.fix if known else 'e' * 40}.")
    project.box.requests.clear()
    assert (1, 0) == (len(desk.results()), project.box.requests.count())
