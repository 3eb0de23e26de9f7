"""link --file and --suggest: many items at once, and only the requested ones."""

from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import ALL, NAME, TITLE, Project

OTHER = "0008-other-words"


def pair(project: Project) -> str:
    """Two increments, and a file that ties one to an issue and the other to all three items."""
    project.items()
    project.increment()
    project.increment(OTHER)
    urls = project.urls
    lines = ["# items", f"7 {urls['github']}", *(f"{OTHER}\t{urls[name]}  " for name in ALL)]
    (project.root / "links.txt").write_text("\n".join(lines) + "\n")
    return "links.txt"


def linked(project: Project, name: str) -> list[str]:
    return [tracker for tracker in ALL if tracker in project.metadata(name)]


def test_a_file_ties_many_items_once_as_its_rehearsal_shows_and_posts_nothing(
    project: Project,
) -> None:
    file = pair(project)
    before = project.tree()
    rehearsed = project.run("link", "--file", file, "--dry-run")
    assert (0, before) == (rehearsed.code, project.tree()), rehearsed.said
    said = "3 items would be linked to 2 increments (4 links); nothing was written."
    assert said in rehearsed.err
    done = project.run("link", "--file", file)
    assert (0, ["github"], [*ALL]) == (
        done.code,
        linked(project, NAME),
        linked(project, OTHER),
    ), done.said
    assert "3 items linked to 2 increments (4 links); nothing was posted." in done.err
    base = {"local": "completed", "remote": "done", "state": "closed"}
    assert base == project.metadata()["github"]["base"]
    assert [event["event"] for event in project.events(OTHER)] == ["linked"] * 3
    written = [one for one in project.box.requests.entries() if one.method == "PATCH"]
    assert written == []
    before = project.tree()
    again = project.run("link", "--file", file).shows(
        out="octo/widgets#4 is linked already", err="4 linked already"
    )
    assert (0, before) == (again.code, project.tree()), again.said


def test_every_mistake_is_listed_with_its_line_before_anything_is_written(
    project: Project,
) -> None:
    project.items("github")
    project.increment()
    gone = project.urls["github"].replace("/4", "/404")
    rows = [
        f"7 {project.urls['github']}",
        "0099 https://example.com/x",
        "only-one-word # 7",
        f"7 {gone}",
        f"7,{project.urls['github']}",
    ]
    before = project.tree()

    done = project.run("link", "--file", "-", "--json", stdin="\n".join(rows))

    problems = done.document["error"]["problems"]
    assert (2, "links-invalid", before) == (
        done.code,
        done.document["error"]["id"],
        project.tree(),
    )
    found = [(line.partition(":")[0], line.rpartition("[")[2].rstrip("]")) for line in problems]
    assert found[:2] == [("line 2", "unknown-increment"), ("line 2", "url-unknown")]
    assert [line for line, _ in found] == ["line 2", "line 2", "line 3", "line 4", "line 5"]
    assert found[3][1] == "item-not-found"


def test_a_file_that_cannot_be_read_is_told_so(project: Project) -> None:
    done = project.run("link", "--file", "nowhere.txt")
    assert (2, "links-file-unreadable") == (done.code, done.err.split("[")[1].split("]")[0])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_refused(project: Project, encoding: str) -> None:
    content = f"7 {project.urls['github']}\n".encode(encoding)
    (project.root / "links.txt").write_bytes(content)
    stdin = content.decode(errors="surrogateescape")
    for file in ("links.txt", "-"):
        project.run("link", "--file", file, stdin=stdin).ends(
            2, err="error[links-file-unreadable]: the links cannot be read: it is not UTF-8 text\n"
        )


@pytest.mark.parametrize("source", ["-", "/dev/zero"])
def test_an_endless_file_is_read_in_part(project: Project, source: str) -> None:
    project.increment()
    endless = "7 x\n" * (3 << 20) if source == "-" else ""
    project.run("link", "--file", source, stdin=endless).ends(
        2, err="it has more than 8,388,608 characters"
    )


def test_without_authorisation_it_is_the_token_that_is_told_and_not_every_line(
    project: Project,
) -> None:
    file = pair(project)
    project.extra["GITHUB_TOKEN"] = "wrong-token"
    before = project.tree()
    done = project.run("link", "--file", file)
    assert (4, before) == (done.code, project.tree()), done.said
    assert "links-invalid" not in done.err


@pytest.mark.parametrize("way", [("--create", "github"), ("--suggest",), ("7",)])
def test_a_file_goes_with_no_other_way(project: Project, way: tuple[str, ...]) -> None:
    project.increment()
    assert project.run("link", "--file", "-", *way).code == 2


# Proposals


def proposals(project: Project, *wanted: str) -> dict[str, Any]:
    document = check(project, "link-suggest", "link", "--suggest", *wanted)
    return {f"{one['increment']} {one['tracker']}": one for one in document["proposals"]}


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_that_was_made_for_an_increment_is_known_by_its_marker(
    project: Project, tracker: str
) -> None:
    project.increment(status="active")
    assert project.run("link", "7", "--create", tracker).code == 0
    url = project.metadata()[tracker]["url"]
    project.run("unlink", "7", tracker)
    spec = project.folder() / "spec.md"
    spec.write_text("# Another title by now\n")
    before = project.tree()
    found = proposals(project)[f"{NAME} {tracker}"]
    assert (["marker"], [url]) == ([found["ground"]], [item["url"] for item in found["items"]])
    assert before == project.tree()


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_with_the_same_title_is_proposed_and_the_output_is_what_file_reads(
    project: Project, tracker: str
) -> None:
    project.items(tracker)
    project.increment(links={})
    project.increment(OTHER, links={})
    done = project.run("link", "--suggest").shows(
        err="Nothing was linked.",
        whole_out=f"{NAME} {project.urls[tracker]} # the same title: Smart discipline\n",
    )
    piped = project.run("link", "--file", "-", stdin=done.out)
    assert (0, [tracker]) == (piped.code, linked(project, NAME)), piped.said


def test_an_item_that_the_specification_names_is_proposed(project: Project) -> None:
    project.items()
    project.increment(OTHER)
    with (project.folder(OTHER) / "spec.md").open("a") as spec:
        spec.write("\nSee issue SCRUM-28, octo/widgets#4, and UTF-8.\n")
    evidence = "# named in its documents: Smart discipline\n"
    project.run("link", "--suggest").shows(
        whole_out=f"{OTHER} {project.urls['github']} {evidence}"
        f"{OTHER} {project.urls['jira']} {evidence}"
    )


def test_between_several_candidates_somebody_has_to_choose(project: Project) -> None:
    for number in (4, 5):
        project.box.github.add_issue(number=number, title=TITLE)
    project.increment(links={})
    project.run("link", "--suggest", "7").ends(
        0, err=("octo/widgets#4", "octo/widgets#5", "unlatch link ID URL"), whole_out=""
    )


def test_an_item_that_two_increments_may_claim_is_neithers(project: Project) -> None:
    project.items("github")
    project.increment(links={})
    again = project.increment("0009-smart-discipline", links={})
    found = proposals(project)
    assert {f"{NAME} github": False, f"{again} github": False} == {
        key: one["clear"] for key, one in found.items()
    }


def test_a_tracker_that_cannot_be_asked_keeps_no_other_from_proposing(project: Project) -> None:
    project.items("jira")
    project.increment(links={})
    project.extra["GITHUB_TOKEN"] = "wrong-token"
    done = project.run("link", "--suggest", "--json").ends(1)
    project.run("link", "--suggest").ends(1)
    assert [one["tracker"] for one in done.document["errors"]] == ["github"]
    assert [one["tracker"] for one in done.document["proposals"]] == ["jira"]
