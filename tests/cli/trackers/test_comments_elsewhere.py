"""unlatch ingest of a new comment on Jira and Azure DevOps: only its ids are used."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.cli.project import OPEN, Done, Project
from tests.delivery.stage import start

from unlatch.spi.text import ops_in
from unlatch_sandbox.ado.boards import stable_uuid
from unlatch_sandbox.clock import ado_time, stored
from unlatch_sandbox.faults import Fault
from unlatch_sandbox.jira.shapes import account_id

PEOPLE = {
    "jira": 'triage_groups = ["role:Developers"]\nwrite_groups = ["group:admins"]\n',
    "ado": 'triage_groups = ["Core Team"]\nwrite_groups = ["Leads"]\n',
}


@dataclass
class Desk:
    """An item of Ann's, closed by her an hour ago, and a job for each comment on it.

    Tim is in a group with triage, Wes in one with write.
    """

    project: Project
    tracker: str

    def post(self, user: str, words: str, **more: Any) -> str:
        box = self.project.box
        if self.tracker == "jira":
            return box.jira.add_comment("SCRUM-28", words, user, **more)
        return str(box.ado.add_comment(101, f"<div>{words}</div>", user))

    def event(self, comment: str, words: str = "") -> dict[str, Any]:
        """An event as the tracker documents it, shortened; with other words than the comment."""
        box = self.project.box
        if self.tracker == "jira":
            return {
                "timestamp": 1767225600000,
                "webhookEvent": "comment_created",
                "comment": {"id": comment, "body": words, "author": {"displayName": "Mallory"}},
                "issue": {
                    "id": "1",
                    "key": "SCRUM-28",
                    "self": f"{box.jira.site}/rest/api/2/issue/1",
                    "fields": {"summary": "x"},
                },
            }
        return {
            "id": "27646e0e-b520-4d2b-9411-bba7524947cd",
            "eventType": "workitem.commented",
            "publisherId": "tfs",
            "resource": {
                "id": 101,
                "rev": 4,
                "fields": {"System.History": words, "System.TeamProject": "elsewhere"},
                "commentVersionRef": {"commentId": int(comment), "version": 1},
                "url": f"{box.ado.organization_url}/x/_apis/wit/workItems/101",
                "_links": {"html": {"href": self.project.urls["ado"]}},
            },
        }

    def take_up(self, comment: str, *options: str, event: dict[str, Any] | None = None) -> Done:
        """Run the job for a comment."""
        path = self.project.home / "event.json"
        path.write_text(json.dumps(event or self.event(comment)))
        self.project.box.requests.clear()
        return self.project.run("ingest", "--from", f"{self.tracker}-event", str(path), *options)

    def say(self, user: str, words: str, *options: str, **more: Any) -> Done:
        return self.take_up(self.post(user, words, **more), *options)

    def close(self, by: str, *, ago: int = 60) -> None:
        """Close the item, some minutes ago."""
        box, then = self.project.box, stored(datetime.now(UTC) - timedelta(minutes=ago))
        with self.project.monkeypatch.context() as patch:
            if self.tracker == "jira":
                patch.setattr(type(box.jira.tracks), "now", lambda _: then)
                box.jira.edit("SCRUM-28", status="Done", by=by)
            else:
                patch.setattr(type(box.ado.boards), "now", lambda _: ado_time(then))
                box.ado.edit(101, state="Closed", by=by)

    @property
    def is_open(self) -> bool:
        return self.project.states()[self.tracker] == OPEN[self.tracker]

    @property
    def answers(self) -> list[str]:
        """The comments that unlatch posted."""
        return [text for text in self.project.comments()[self.tracker] if ops_in(text)]


@pytest.fixture(params=["jira", "ado"])
def desk(project: Project, request: pytest.FixtureRequest) -> Desk:
    box, tracker = project.box, request.param
    table = f"[trackers.{tracker}]\n"
    project.configure(box.config().replace(table, table + PEOPLE[tracker]))
    box.jira.add_group("admins", "Wes")
    box.jira.add_role("Developers", "Tim")
    if tracker == "jira":
        box.jira.add_issue("SCRUM-28", summary="Crash", status="In Progress", reporter="Ann")
    else:
        box.ado.add_work_item(id=101, title="Crash", state="Active", created_by="Ann")
        box.ado.add_team("Core Team", "Tim")
        box.ado.add_team("Leads", "Wes")
    desk = Desk(project, tracker)
    desk.close("Ann")
    return desk


@pytest.mark.sample(at=(0,))
def test_a_reporter_reopens_what_they_closed(desk: Desk) -> None:
    comment = desk.post("Ann", "/reopen It still crashes")
    done = desk.take_up(comment, event=desk.event(comment, "/close Mallory says so"))
    assert (0, True) == (done.code, desk.is_open), done.said
    (text,) = desk.answers
    assert "It still crashes" in text
    assert "asked by Ann " in text
    assert "Mallory" not in text


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize(
    ("name", "by"),
    [("Ann\x1b[2J\n/close", "By Ann /close,"), (" \u202e ", ""), ("é" * 300, f"By {'é' * 100},")],
    ids=["control characters", "blank", "long"],
)
def test_the_record_names_who_asked_whatever_they_call_themselves(
    desk: Desk, name: str, by: str
) -> None:
    desk.project.box.jira.add_role("Developers", name)
    desk.project.box.ado.add_team("Core Team", name)
    done = desk.say(name, "/reopen Crash")
    assert (0, True) == (done.code, desk.is_open), done.said
    (text,) = desk.answers
    account = account_id(name) if desk.tracker == "jira" else stable_uuid(name)
    assert (by or f"By {account},") in text


def test_words_that_may_be_a_strangers_give_no_right_to_take_back(desk: Desk) -> None:
    """Where the token may not ask whose it is, nobody can tell which comments are unlatch's."""
    box = desk.project.box
    desk.say("Ann", "/reopen It still crashes")
    (text,) = desk.answers
    if desk.tracker == "jira":
        ann, oda = account_id("Ann"), account_id("Oda")
    else:
        ann, oda = stable_uuid("Ann"), stable_uuid("Oda")
    assert ann in text
    desk.post("Oda", text.replace(ann, oda))
    hidden = "/myself" if desk.tracker == "jira" else "connectiondata"
    box.faults.add(Fault(desk.tracker, "status", code=403, path=f"(?i){hidden}", times=9))

    done = desk.say("Oda", "/undo")

    assert desk.is_open, done.said


def test_a_close_is_carried_out_once_even_after_a_reopen_by_hand(desk: Desk) -> None:
    desk.say("Ann", "/reopen Crash")
    comment = desk.post("Ann", "/close Fixed by an update")
    assert (0, False) == (desk.take_up(comment).code, desk.is_open)
    box = desk.project.box
    if desk.tracker == "jira":
        box.jira.edit("SCRUM-28", status="In Progress", by="Tim")
    else:
        box.ado.edit(101, state="Active", by="Tim")
    again = desk.take_up(comment)
    assert (0, True) == (again.code, desk.is_open), again.said
    assert "carried out already" in again.said


@pytest.mark.parametrize("what", ["gone", "edited", "with the close", "of a program"])
def test_what_asks_for_nothing_changes_nothing(desk: Desk, what: str) -> None:
    box = desk.project.box
    if what == "with the close":
        desk.close("Tim", ago=120)
        desk.close("Ann", ago=0)
    comment = desk.post("Helper [bot]" if what == "of a program" else "Ann", "/reopen It crashes")
    if what in ("gone", "edited"):
        text = None if what == "gone" else "/reopen More"
        with desk.project.monkeypatch.context() as patch:
            later = stored(datetime.now(UTC) + timedelta(seconds=5))
            patch.setattr(type(box.jira.tracks), "now", lambda _: later)
            if desk.tracker == "jira":
                box.jira.edit_comment("SCRUM-28", comment, text)
            else:
                box.ado.edit_comment(101, int(comment), text)
    done = desk.take_up(comment)
    assert (0, False, []) == (done.code, desk.is_open, desk.answers), done.said


def test_who_asked_takes_a_reopen_back(desk: Desk) -> None:
    assert 0 == desk.say("Ann", "/reopen Crash").code
    # The answer to the first names who was refused.
    for _ in range(2):
        refused = desk.say("Oda", "/undo")
        assert (True, True) == (desk.is_open, "may not" in refused.said)
    undone = desk.say("Ann", "/undo A mistake of mine")
    assert (0, False) == (undone.code, desk.is_open), undone.said
    assert "The reopen is taken back" in desk.answers[-1]


@pytest.fixture
def shared(desk: Desk) -> Desk:
    """The item belongs to an increment with items on all trackers."""
    project = desk.project
    others = [name for name in ("github", "ado", "jira") if name != desk.tracker]
    key = {"jira": "issueKey", "ado": "workItemId"}[desk.tracker]
    number: object = {"jira": "SCRUM-28", "ado": 101}[desk.tracker]
    own = {desk.tracker: {key: number, "url": project.urls[desk.tracker]}}
    project.increment(links={**project.items(*others), **own})
    project.commit()
    return desk


@pytest.mark.sample(at=(7,))
@pytest.mark.parametrize(
    ("user", "spread", "is_whole"),
    [("Tim", False, True), ("Ann", False, False), ("Ann", True, True), ("Oda", True, False)],
)
def test_how_far_a_reopen_reaches(shared: Desk, user: str, *, spread: bool, is_whole: bool) -> None:
    project = shared.project
    config = (project.root / ".unlatch/config.toml").read_text()
    project.configure(f"{config}\n[comments]\nspread = {str(spread).lower()}\n")
    done = shared.say(user, "/reopen The customer Ida Nox is cut off")
    assert (0, user != "Oda") == (done.code, shared.is_open), done.said
    assert is_whole is (project.states() == OPEN)
    assert ("active" if is_whole else "completed") == project.metadata()["status"]
    if is_whole:
        (entry,) = project.metadata()["reopenHistory"]
        assert (user, False) == (entry["reopenedBy"], "Ida Nox" in entry["reason"])


@pytest.mark.sample(at=(0,))
def test_two_jobs_for_one_command_post_one_comment(desk: Desk) -> None:
    comment, refused = desk.post("Ann", "/reopen It crashes"), desk.post("Oda", "/reopen Mine")
    desk.take_up(refused)
    event = desk.project.home / "event.json"
    event.write_text(json.dumps(desk.event(comment)))
    words = ("ingest", "--from", f"{desk.tracker}-event", str(event))
    runs = [start(desk.project, *words) for _ in range(3)]
    said = [run.communicate(timeout=120)[0] for run in runs]
    assert [0] * 3 == [run.returncode for run in runs], said
    assert (True, 2) == (desk.is_open, len(desk.answers))


NOTHING: dict[str, list[tuple[dict[str, Any], str]]] = {
    "jira": [
        ({"webhookEvent": "comment_updated"}, "the comment is not new"),
        ({"webhookEvent": "jira:issue_updated"}, "changes no increment"),
        ({"issue": None}, "not about an issue"),
    ],
    "ado": [
        ({"eventType": "workitem.updated"}, "changes no increment"),
        ({"resource": None}, "not about a work item"),
    ],
}


def test_an_event_about_something_else_costs_no_request(desk: Desk) -> None:
    comment = desk.post("Ann", "/reopen It crashes")
    for changes, why in NOTHING[desk.tracker]:
        done = desk.take_up(comment, event={**desk.event(comment), **changes})
        assert (0, [], True) == (done.code, desk.project.sent(), why in done.said), done.said


def test_an_event_of_another_site_is_refused(desk: Desk) -> None:
    comment = desk.post("Ann", "/reopen It crashes")
    text = json.dumps(desk.event(comment)).replace("127.0.0.1", "evil.example")
    done = desk.take_up(comment, event=json.loads(text))
    assert (False, []) == (desk.is_open, desk.project.sent()), done.said
    assert 0 != done.code


@pytest.mark.parametrize(
    "more", [{"role": "Developers"}, {"group": "admins"}, {"internal": True}], ids=str
)
@pytest.mark.parametrize("user", ["Tim", "Oda"])
@pytest.mark.parametrize("desk", ["jira"], indirect=True)
def test_an_answer_to_a_restricted_comment_is_as_restricted(
    shared: Desk, user: str, more: dict[str, Any]
) -> None:
    project = shared.project
    done = shared.say(user, "/reopen The customer Ida Nox is cut off", **more)
    assert (0, user == "Tim") == (done.code, shared.is_open), done.said
    comments = project.box.jira.comments("SCRUM-28")
    asked, *answers = [(one["jsdPublic"], one.get("visibility")) for one in comments]
    assert [asked] == answers
    assert (True, None) != asked
    texts = [text for each in project.comments().values() for text in each]
    assert 1 == sum("Ida Nox" in text for text in texts)
    tree = b"".join(content or b"" for content in project.tree().values())
    assert b"Ida Nox" not in tree
