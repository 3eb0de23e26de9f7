"""Items that their tracker serves under a new name: a renamed repository, a moved issue of Jira."""

import shlex

import pytest
from tests.cli.project import NAME, OPEN, Project
from tests.cli.trackers.test_ingest import ingest, payload
from tests.delivery.stage import RESUME, SYNC

HOME, NEW = "octo/widgets", "octo/gizmos"


def rename(project: Project, name: str = NEW) -> None:
    project.box.github.rename_repository(HOME, name)


def configure(project: Project, old: str, new: str) -> None:
    """Configure the sandbox, with `new` in place of `old`."""
    project.configure(project.box.config().replace(old, new))


def state(project: Project, repository: str = NEW, number: int = 4) -> str:
    return str(project.box.github.issue(repository, number)["state"])


def link_issues(project: Project, count: int) -> list[str]:
    """Completed increments with a closed issue each, from number 4; their names."""
    block = project.items("github")["github"]
    names = [project.increment(links={"github": block})]
    for number in range(5, 4 + count):
        project.box.github.add_issue(number=number, title="T", state="closed")
        link = {"issue": number, "url": block["url"].replace("/4", f"/{number}")}
        names.append(project.increment(f"{number + 10:04}-more", links={"github": link}))
    return names


@pytest.mark.sample
@pytest.mark.parametrize("count", [1, 4])
def test_links_with_the_former_name_of_a_configured_repository_take_the_new_one(
    project: Project, count: int
) -> None:
    names = link_issues(project, count)
    rename(project)
    configure(project, f'"{HOME}"', f'"{NEW}"')
    assert project.run("sync", "--check").code == 0

    done = project.run("resume", *names, "--reason", "More", "--yes")

    assert done.code == 0, done.said
    assert [state(project, number=number) for number in range(4, 4 + count)] == ["open"] * count
    assert all(f"{NEW}/issues/" in str(project.metadata(name)["github"]) for name in names)
    asked = [one for one in project.box.requests.entries("github") if one.path.endswith(HOME)]
    assert len(asked) == 2  # once in each command


@pytest.mark.parametrize("also", ["", f'\nrepositories = ["{HOME}"]'])
def test_an_event_with_the_new_name_finds_links_with_the_former_one(
    project: Project, also: str
) -> None:
    project.increment(links=project.items("github"))
    assert project.run("sync", "--yes").code == 0
    rename(project)
    configure(project, f'repository = "{HOME}"', f'repository = "{NEW}"{also}')
    project.box.github.edit(NEW, 4, state="open", by="mona")
    message = payload(project, html_url=f"{project.box.github.web_url}/{NEW}/issues/4")

    done = ingest(project, message)

    assert done.code == 0, done.said
    assert project.metadata()["reopenHistory"][0]["reopenedBy"] == "mona"


@pytest.mark.parametrize("owner", ["octo", "mallory"])
def test_links_outside_the_configured_repositories_are_refused(
    project: Project, owner: str
) -> None:
    project.increment(links=project.items("github"))
    rename(project, "mallory/widgets")
    configure(project, f'"{HOME}"', f'"{owner}/widgets2"')
    project.box.github.add_repository(f"{owner}/widgets2")

    done = project.run(*RESUME)

    assert done.code == 3, done.said
    assert "[target-not-allowed]" in done.said
    asked = [one.path for one in project.box.requests.entries("github")]
    # No repository of another owner is asked for.
    assert [path for path in asked if HOME in path] == asked[:1] * (owner == "octo")


def test_a_repository_of_another_owner_is_left_alone(project: Project) -> None:
    project.increment(links=project.items("github"))
    rename(project, "mallory/widgets")

    done = project.run(*RESUME)

    assert done.code == 3, done.said
    assert "mallory/widgets" in done.said
    assert state(project, "mallory/widgets") == "closed"


@pytest.mark.sample
@pytest.mark.parametrize("deployment", ["Cloud", "Server"])
def test_links_with_the_former_key_of_a_configured_project_take_the_new_one(
    project: Project, deployment: str
) -> None:
    jira, block = project.box.jira, project.items("jira")["jira"]
    names = [project.increment(links={"jira": block})]
    for number in (29, 30):
        key = jira.add_issue(f"SCRUM-{number}", summary="T", status="Done")
        link = {"issueKey": key, "url": block["url"].replace("SCRUM-28", key)}
        names.append(project.increment(f"{number:04}-more", links={"jira": link}))
    jira.add_project("SCRUM", deployment=deployment)
    jira.rename_project("SCRUM", "OPS")
    configure(project, 'project = "SCRUM"', 'project = "OPS"')

    done = project.run("resume", *names, "--reason", "More", "--yes")

    assert done.code == 0, done.said
    assert [len(jira.comments(f"OPS-{number}")) for number in (28, 29, 30)] == [1, 1, 1]
    assert all("/browse/OPS-" in str(project.metadata(name)["jira"]) for name in names)
    asked = [one for one in project.box.requests.entries("jira") if "/project/" in one.path]
    assert [one.path.rpartition("/")[2] for one in asked] == ["SCRUM"]


def test_a_project_with_another_key_is_not_configured_by_its_issue(project: Project) -> None:
    project.increment(links=project.items("jira"))
    project.box.jira.add_project("OPS")
    configure(project, 'project = "SCRUM"', 'project = "OPS"')

    done = project.run(*RESUME)

    assert (done.code, "[target-not-allowed]" in done.said) == (3, True), done.said
    assert project.box.jira.comments("SCRUM-28") == []


def test_an_issue_of_jira_linked_by_both_its_keys_gets_one_comment(project: Project) -> None:
    project.items("jira")
    project.box.jira.add_project("OPS")
    new = project.box.jira.move("SCRUM-28", "OPS")
    urls = [project.urls["jira"], project.urls["jira"].replace("SCRUM-28", new)]
    items = [{"issueKey": url.rpartition("/")[2], "url": url} for url in urls]
    project.increment(links={"jira": {**items[0], "items": items}})
    old = 'project = "SCRUM"'
    configure(project, old, f'{old}\nprojects = ["OPS"]')

    preview = project.run(*RESUME, "--dry-run")
    done = project.run(*RESUME)
    again = project.run(*SYNC)

    assert preview.code == 0, preview.said
    assert "could not be read" not in preview.said
    assert "it is the same item as" in preview.said
    assert [0, 0] == [done.code, again.code], done.said + again.said
    assert len(project.box.jira.comments(new)) == 1


def linked_before_a_rename(project: Project, tracker: str, link: str, also: str) -> str:
    """An increment whose link has one of the names; the item's URL with the other one."""
    project.increment(links=project.items(tracker))
    if tracker == "github":
        rename(project)
        setting, old, new = f'repository = "{HOME}"', HOME, NEW
        more = f'\nrepositories = ["{HOME}"]'
    else:
        project.box.jira.rename_project("SCRUM", "GIZMO")
        setting, old, new = 'project = "SCRUM"', "SCRUM", "GIZMO"
        more = '\nprojects = ["SCRUM"]'
    configure(project, setting, setting.replace(old, new) + more * bool(also))
    url = project.urls[tracker]
    if link == "new":
        file = project.folder() / "metadata.json"
        file.write_text(
            file.read_text().replace(f"{old}-", f"{new}-").replace(f"{old}/", f"{new}/")
        )
        return url
    return url.replace(old, new)


@pytest.mark.sample
@pytest.mark.parametrize("tracker", ["github", "jira"])
@pytest.mark.parametrize("link", ["new", "old"])
@pytest.mark.parametrize("also", ["", "both configured"])
def test_an_increment_is_found_by_an_address_with_the_other_name_of_its_link(
    project: Project, tracker: str, link: str, also: str
) -> None:
    url = linked_before_a_rename(project, tracker, link, also)

    paused = project.run("pause", url)
    asked = len(project.box.requests.entries(tracker))
    status = project.run("status", url)
    reopened = project.run("reopen", url, "--reason", "More")
    resumed = project.run("resume", url, "--reason", "More", "--yes")

    assert f"error[finished]: {NAME}" in paused.said
    assert f"note: {url} is linked to {NAME}" in paused.err
    # GitHub redirects the former name. Where both names are configured, either may be it.
    assert asked <= (3 if also else 2)
    assert f"belongs to {NAME}" in status.out, status.said
    assert "[item-of-increment]" in reopened.said
    assert resumed.code == 0, resumed.said
    assert OPEN[tracker] == project.states()[tracker] if tracker == "jira" else state(project)


def test_an_item_of_the_same_number_in_another_repository_is_another(project: Project) -> None:
    project.increment(links=project.items("github"))
    rename(project)
    project.box.github.add_repository("octo/other")
    project.box.github.add_issue("octo/other", number=4, title="Other", state="closed")
    configure(project, f'"{HOME}"', f'"{NEW}"\nrepositories = ["octo/other"]')

    done = project.run("show", f"{project.box.github.web_url}/octo/other/issues/4")

    assert "[item-not-linked]" in done.said


@pytest.mark.parametrize("tracker", ["github", "jira"])
@pytest.mark.parametrize("link", ["new", "old"])
def test_the_command_for_an_item_by_its_other_name_finds_its_link(
    project: Project, tracker: str, link: str
) -> None:
    url = linked_before_a_rename(project, tracker, link, "")

    refused = project.run("close", url)
    step = shlex.split(refused.err.partition("next: unlatch ")[2].partition(";")[0])
    planned = project.run(*step, "--dry-run")
    by_address = project.run(*step[:2], url, "--dry-run")

    assert "--item" in step, refused.err
    assert [0, 0] == [planned.code, by_address.code], planned.said + by_address.said


def test_records_of_an_item_are_found_without_a_request(project: Project) -> None:
    project.increment(links=project.items("github"))
    rename(project)
    configure(project, f'"{HOME}"', f'"{NEW}"')

    for command in ("history", "unlink"):
        project.run(command, project.urls["github"])

        assert [] == project.box.requests.entries("github"), command


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "words",
    [("resume", "--reason", "More"), ("complete",), ("undo",), ("abandon", "--reason", "No")],
)
@pytest.mark.parametrize("count", [1, 2])
def test_an_offline_preview_asks_no_tracker_for_other_names(
    project: Project, words: tuple[str, ...], count: int
) -> None:
    links = project.items("github")
    names = [NAME, "0008-more"][:count]
    for name in names:
        project.increment(name, links=links)
    command, *options = words
    if command != "resume":
        project.run("resume", *names, "--reason", "More", "--offline", "--yes")
    rename(project)
    configure(project, f'"{HOME}"', f'"{NEW}"')

    done = project.run(command, *names, *options, "--offline", "--dry-run")

    assert (0, []) == (done.code, project.box.requests.entries("github")), done.said
    assert f"{HOME}#4" in done.out
