"""`new` and `link` say when something similar was done before."""

from tests.cli.project import Project


def test_new_names_a_concluded_effort(project: Project) -> None:
    project.run("effort", "open", "rate limit retries")
    project.run("effort", "close", "--summary", "Done")
    done = project.run("new", "Rate limit retries", "--json")
    (warning,) = done.document["warnings"]
    assert warning["id"] == "similar-work"
    assert "unlatch effort reopen rate-limit-retries" in warning["hint"]


def test_link_names_similar_work(project: Project) -> None:
    links = project.items("github")
    project.increment("0003-smart-discipline")
    project.increment("0008-other", status="active")
    project.run("link", "8", project.urls["github"]).ends(
        0, err="this looks like 0003-smart-discipline"
    )
    assert links


def test_new_names_a_completed_session(project: Project) -> None:
    name = project.run("session", "start", "Rate limit retries").out.strip()
    project.run("session", "complete")
    project.run("new", "Rate limit retries").ends(
        0, err=(f"similar session: {name} (completed)", f"unlatch session resume {name}")
    )
