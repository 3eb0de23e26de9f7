"""Sessions and their increments: linked by hand, and by the branch of a transcript."""

from tests.cli.agents.events import event, fire, put_transcript
from tests.cli.output.test_documents import mistakes
from tests.cli.project import NAME, Project
from tests.cli.sessions.commands import session

OTHER = "0012-smart-discipline"


def imported(project: Project) -> str | None:
    """The increment of the only imported session."""
    (found,) = session(project, "list", "--imported", "--json").document["sessions"]
    increment: str | None = found["increment"]
    return increment


def test_session_is_linked_to_an_increment_and_moved(project: Project) -> None:
    for name in (NAME, OTHER):
        project.increment(name)
    started = session(project, "start", "Fix the login").out.strip()
    linked = session(project, "link", "login", "7", "--json")
    assert (linked.code, mistakes(linked.document, "session"), linked.err) == (0, [], "")
    assert linked.document["session"]["increment"] == NAME
    session(project, "link", started, "7").shows(
        whole_out=f"✓ {started} belongs to {NAME}\n", whole_err=""
    )
    session(project, "link", started, "12").shows(
        err=f"it belonged to {NAME}", whole_out=f"✓ {started} belongs to {OTHER}\n"
    )
    session(project, "link", started, "--remove").shows(
        err=f"it belonged to {OTHER}", whole_out=f"✓ {started} belongs to no increment\n"
    )
    assert session(project, "link", started).code == 2
    assert session(project, "link", started, "7", "--remove").code == 2


BRANCHES = {
    f"fix/{NAME}": NAME,
    "fix/0007": NAME,
    f"{OTHER}-again": OTHER,
    "fix/smart-discipline": None,  # both
    "fix/smart": None,
    "fix/00071": None,
    "0007-and-0012": None,
    "login": None,  # one word is too little
    "new-login-page": "0031-login-page",
    "main": None,
}


def test_hook_links_the_increment_of_the_branch_or_the_folder(project: Project) -> None:
    for name in (NAME, OTHER, "0030-login", "0031-login-page"):
        project.increment(name)
    put_transcript(project, "gemini-cli")
    project.commit()
    places = [(branch, str(project.root), name) for branch, name in BRANCHES.items()]
    for branch, cwd, increment in (*places, ("login", str(project.folder()), NAME)):
        project.git("switch", "--quiet", "-C", branch)
        done = fire(project, event(project, "gemini-cli", "SessionEnd", cwd=cwd))
        assert (done.code, done.said) == (0, "")
        assert imported(project) == increment, branch
        for file in (project.home / "state").rglob("imports/*.md"):
            file.unlink()


def test_later_import_keeps_the_link_of_a_person(project: Project) -> None:
    for name in (NAME, OTHER):
        project.increment(name)
    put_transcript(project, "gemini-cli")
    project.commit()
    project.git("switch", "--quiet", "-C", "fix/0007")
    fire(project, event(project, "gemini-cli", "PreCompress"))
    assert imported(project) == NAME
    (found,) = session(project, "list", "--imported", "--json").document["sessions"]
    assert session(project, "link", found["id"], "12", "--imported").code == 0
    fire(project, event(project, "gemini-cli", "SessionEnd"))
    assert imported(project) == OTHER
    assert session(project, "link", found["id"], "--remove", "--imported").code == 0
    fire(project, event(project, "gemini-cli", "SessionEnd"))
    assert imported(project) is None
