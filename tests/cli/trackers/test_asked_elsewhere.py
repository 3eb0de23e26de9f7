"""Who asked in a comment is named on items of its tracker; others get the link alone."""

import pytest
from tests.cli.project import OPEN, Done, Project
from tests.cli.trackers.comment_desk import REPOSITORY, add_people
from tests.cli.trackers.comment_desk import Desk as GithubDesk
from tests.cli.trackers.test_comments_elsewhere import PEOPLE
from tests.cli.trackers.test_comments_elsewhere import Desk as OtherDesk

# The people with triage and with write on each tracker, and the name of the item there.
ASKERS = {
    "github": ("tim", "wes", "octo/widgets#4"),
    "jira": ("Tim", "Wes", "SCRUM-28"),
    "ado": ("Tim", "Wes", "fabrikam/widgets 101"),
}
TRACKERS = ("github", "jira", "ado")


class Shared:
    """An increment with items on all trackers, one of which is asked on."""

    def __init__(self, project: Project, tracker: str, *, addresses: bool = True) -> None:
        box = project.box
        self.project, self.tracker = project, tracker
        self.triage, self.write, self.place = ASKERS[tracker]
        config = box.config()
        for name, lines in PEOPLE.items():
            config = config.replace(f"[trackers.{name}]\n", f"[trackers.{name}]\n{lines}")
        project.configure(config)
        box.jira.add_group("admins", "Wes")
        box.jira.add_role("Developers", "Tim")
        box.ado.add_team("Core Team", "Tim")
        box.ado.add_team("Leads", "Wes")
        add_people(project)
        links = project.items()
        for link in () if addresses else links.values():
            link.pop("url", None)
            link.pop("issueUrl", None)
        project.increment(links=links)
        project.commit()
        project.git("remote", "add", "origin", f"{box.github.web_url}/{REPOSITORY}.git")
        self.desk = GithubDesk(project) if tracker == "github" else OtherDesk(project, tracker)

    def say(self, user: str, words: str) -> Done:
        return self.desk.say(user, words)

    def posted(self, tracker: str) -> list[str]:
        """The comments of unlatch on an item, without the signs that escape markup."""
        marks = ("\\", "&#8203;", "\u200b")
        texts = [text for text in self.project.comments()[tracker] if "unlatch" in text]
        for mark in marks:
            texts = [text.replace(mark, "") for text in texts]
        return texts

    def check(self, user: str, *, count: int, named: bool = False) -> None:
        """Each item has so many comments of unlatch, and the user's name where it may stand."""
        for name in TRACKERS:
            texts = self.posted(name)
            assert count == len(texts), (name, texts)
            if name == self.tracker or named:
                assert f"(asked by {user} " in texts[-1]
                assert f"by {user}, " in texts[-1]
            else:
                assert f"(asked on {self.place}: http" in texts[-1]
                assert f"by a person on {self.place}, " in texts[-1]
                assert not any(user in text for text in texts), texts


@pytest.fixture(params=TRACKERS)
def shared(project: Project, request: pytest.FixtureRequest) -> Shared:
    return Shared(project, request.param)


@pytest.mark.sample(at=(0, 2))
def test_a_reopen_its_undo_and_a_close_name_who_asked_at_their_tracker_alone(
    shared: Shared,
) -> None:
    project = shared.project

    done = shared.say(shared.triage, "/reopen It crashes")

    assert (0, OPEN) == (done.code, project.states()), done.said
    shared.check(shared.triage, count=1)
    (entry,) = project.metadata()["reopenHistory"]
    assert shared.triage == entry["reopenedBy"]
    assert f"(asked by {shared.triage} " in entry["reason"]
    assert 0 == shared.say(shared.triage, "/undo").code
    assert "completed" == project.metadata()["status"]
    shared.check(shared.triage, count=2)
    assert 0 == shared.say(shared.write, "/reopen Again").code
    assert 0 == shared.say(shared.write, "/close Done").code
    assert "completed" == project.metadata()["status"]
    shared.check(shared.write, count=4)
    verified = project.run("history", "verify", "7")
    assert 0 == verified.code, verified.said


def test_a_template_names_nobody_on_other_trackers(project: Project) -> None:
    shared = Shared(project, "github")
    project.configure_more('comment_template = "{by} said: {reason}"')
    assert 0 == shared.say("tim", "/reopen It crashes").code
    assert "tim said: (asked by tim in http" in shared.posted("github")[0]
    for name in ("jira", "ado"):
        assert "a person on octo/widgets#4 said: (asked on octo/" in shared.posted(name)[0]
        assert "tim" not in shared.posted(name)[0]
