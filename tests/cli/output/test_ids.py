"""Every way to name an increment works wherever an ID is accepted."""

import dataclasses
import json
import os
import shlex
from pathlib import Path

import pytest
from tests.cli.output.test_mistyped import next_command
from tests.cli.project import NAME, REASON, Done, Project
from tests.cli.refusing import assert_refused, assert_unchanged

OTHER = "0008-smart-search"
FOLDER = f".unlatch/increments/{NAME}"
KEYS = ("SCRUM-28", "scrum-28", "octo/widgets#4", "Octo/Widgets#4", "#4", "fabrikam/widgets 101",
        "Fabrikam/widgets 101")  # fmt: skip


@pytest.fixture
def two(completed: Project) -> Project:
    completed.increment(OTHER)
    return completed


def shown(done: Done) -> str:
    assert 0 == done.code, done.err
    return str(done.document["increment"]["id"])


def test_a_number_a_name_a_part_of_it_or_a_path(two: Project) -> None:
    (two.root / "src").mkdir()
    root = two.root / FOLDER
    for word in (
        *("7", NAME, NAME.upper(), "smart-discipline", "0007-s", "smart-d", "discipline"),
        *(FOLDER, f"{FOLDER}/", f"./{FOLDER}", f"{FOLDER}/spec.md", f"src/../{FOLDER}"),
        *(f"{root}", f"{root}/", f"{root}/tasks.md"),
    ):
        assert NAME == shown(two.run("show", word, "--offline", "--json")), word


def test_the_name_of_an_item(two: Project) -> None:
    for word in KEYS:
        done = two.run("show", word, "--offline", "--json")
        assert NAME == shown(done), word
        assert f"note: {word} is linked to {NAME}\n" == done.err


def test_a_path_from_another_folder(two: Project) -> None:
    for folder, path in (
        ("src/deep", f"../../{FOLDER}"),
        (".unlatch/increments", f"./{NAME}/"),
        (".unlatch/increments", NAME),
        (FOLDER, "."),
        (FOLDER, "spec.md"),
        (f"{FOLDER}/reports", ".."),
        (f".unlatch/increments/{OTHER}", f"../{NAME}"),
    ):
        (two.root / folder).mkdir(parents=True, exist_ok=True)
        below = dataclasses.replace(two, root=two.root / folder)
        assert NAME == shown(below.run("show", path, "--offline", "--json")), (folder, path)


def test_a_path_through_a_link_to_the_project(two: Project, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(two.root)
    for root, word in ((str(two.root), link / FOLDER), (str(link), two.root / FOLDER)):
        done = two.run("--root", root, "show", os.fspath(word), "--offline", "--json")
        assert NAME == shown(done)


def test_other_paths_mean_no_increment(two: Project) -> None:
    for name in ("elsewhere", FOLDER):
        (two.root / name / NAME).mkdir(parents=True)
    (two.root / FOLDER / "reports").mkdir()
    before = two.tree()
    for folder, word in (
        (".", f".unlatch/increments/{NAME}/missing.md"),
        (".", f"elsewhere/{NAME}"),
        (".", ".unlatch/increments"),
        (".", "."),
        (FOLDER, "nonsense"),
        (FOLDER, "reports"),
        (FOLDER, ""),
        (FOLDER, "./nonsense"),
    ):
        done = dataclasses.replace(two, root=two.root / folder).run("abandon", "--", word)
        assert_refused(done, 2, "unknown-increment")
    assert_unchanged(two, before)


def test_the_address_of_an_item(two: Project) -> None:
    for url in two.urls.values():
        head, _, path = url.partition("://")
        for end in ("", "/", "?a=b", "#comment-3", "/?a=b#c"):
            for word in (f"{url}{end}", f"{head}://{path.upper()}{end}"):
                assert NAME == shown(two.run("show", word, "--offline", "--json")), word


BARE = {"github": {"issue": 4}, "ado": {"workItemId": 101}, "jira": {"issueKey": "SCRUM-28"}}
# On the hosts of the sandbox, but for the whole ones.
ELSEWHERE = {
    "github": ("/octo/widgets/issues/5", "/octo/gadgets/issues/4"),
    "ado": ("/widgets/_workitems/edit/102",),
    "jira": ("/browse/SCRUM-29", "/browse/OTHER-28"),
}
FOREIGN = ("https://github.com/other/repo/issues/99", "https://example.com/", "x://")


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
def test_an_item_whose_link_has_no_address(project: Project, tracker: str) -> None:
    project.increment(links={tracker: BARE[tracker]})
    project.increment(OTHER)
    assert NAME == shown(project.run("show", project.urls[tracker], "--offline", "--json"))
    done = project.run("unlink", NAME, project.urls[tracker])
    assert (0, False) == (done.code, tracker in project.metadata()), done.said


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
@pytest.mark.parametrize("form", ["bare", "with an address"])
def test_the_address_of_another_item_means_no_increment(
    project: Project, tracker: str, form: str
) -> None:
    links = {**BARE, **project.items()} if form != "bare" else BARE
    project.increment(links={tracker: links[tracker]}, status="active")
    hosts = {"github": project.box.github.web_url, "ado": project.box.ado.web_url,
             "jira": project.box.jira.site}  # fmt: skip
    before = project.tree()
    for path in (*(f"{hosts[tracker]}{one}" for one in ELSEWHERE[tracker]), *FOREIGN):
        for command in ("pause", "unlink 7"):
            project.run(*command.split(), path).ends(2)
    assert_unchanged(project, before)


def test_the_address_on_another_host_means_no_increment(project: Project) -> None:
    url = "https://github.com/octo/widgets/issues/4"
    project.increment(links={"github": {"issue": 4, "url": url}}, status="active")
    before = project.tree()
    for host in ("ghe.corp.example", "evil.example/x/y"):
        for command in ("pause", "unlink 7"):
            project.run(*command.split(), url.replace("github.com", host)).ends(2)
    assert_unchanged(project, before)
    assert NAME == shown(project.run("show", url.upper(), "--offline", "--json"))


def test_the_address_of_one_item_beside_links_without_addresses(project: Project) -> None:
    links = project.items("github")
    project.increment(links=links, status="active")
    project.increment(OTHER, links={"jira": {"issueKey": "SCRUM-1"}, "ado": {"workItemId": 5}})
    assert NAME == shown(project.run("show", project.urls["github"], "--offline", "--json"))


COMMANDS = [
    "show --offline", "history", "complete --dry-run", "abandon --dry-run", "undo --yes", "pause",
    "start", "backlog", "sync --dry-run", "doctor", "github status", "link --suggest",
    "github create-issue --dry-run", "jira close-issue --dry-run", "github update-issue --dry-run",
    "resume --reason why --dry-run", "reopen --reason why --dry-run", "merge --resolve",
    "unlink ID github", "review",
]  # fmt: skip


@pytest.mark.parametrize("word", ["discipline", "octo/widgets#4", f"{FOLDER}/"])
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_takes_it_as_it_takes_the_name(two: Project, command: str, word: str) -> None:
    if "#" in word and command.startswith(("reopen", "jira")):
        pytest.skip("the item is what is to be changed")
    before = two.tree()

    said = []
    for one in (word, NAME):
        typed = [one if part == "ID" else part for part in command.split()]
        done = two.run(*typed, *([] if "ID" in command else [one]))
        lines = done.said.splitlines()
        said.append((done.code, [line for line in lines if not line.startswith("note: ")]))
        for path, text in before.items():
            if text is not None:
                (two.root / path).write_bytes(text)

    assert said[0] == said[1]
    assert "unknown" not in str(said)


def test_a_part_of_a_name_is_shown_before_a_change(two: Project) -> None:
    for word in ("7", NAME, "smart-discipline", f"{FOLDER}/"):
        assert "note:" not in two.run("history", word).err, word
    done = two.run("resume", "discipline", "--reason", REASON, "--yes").ends(
        0, out=f"Increment {NAME} reopened: completed -> active"
    )
    assert f"note: discipline is {NAME}" == done.err.splitlines()[0]


def test_several_candidates_are_listed_and_nothing_is_changed(two: Project) -> None:
    for number in range(9, 20):
        two.increment(f"{number:04}-smart-{number}")
    before = two.tree()
    for command in ("show", "complete", "resume"):
        done = two.run(command, "smart")
        assert_refused(done, 2, "ambiguous-increment")
        assert [f"  - {NAME}", f"  - {OTHER}"] == done.err.splitlines()[1:3]
        assert "  - and 3 more" == done.err.splitlines()[11]
    assert_unchanged(two, before)
    assert [] == two.sent()


def test_an_item_of_two_increments_is_ambiguous(completed: Project) -> None:
    completed.increment("0008-other", links={"github": {"url": completed.urls["github"]}})
    completed.increment("0009-third", links={"github": {"issue": 4}})
    for word in (completed.urls["github"], "octo/widgets#4", "#4"):
        done = completed.run("complete", word)
        assert_refused(done, 2, "ambiguous-increment")
        assert f"  - {NAME}\n" in done.err


def test_a_linked_item_goes_before_a_part_of_a_name(completed: Project) -> None:
    completed.increment("0009-scrum-28")
    completed.increment("0011-scrum-28-again")
    completed.increment("0010-phase-2")
    assert NAME == shown(completed.run("show", "SCRUM-28", "--offline", "--json"))
    assert "0010-phase-2" == shown(completed.run("show", "phase-2", "--offline", "--json"))
    assert 0 == completed.run("history", "phase-2").code


def test_a_mistyped_name_is_suggested_in_a_command_that_works(two: Project) -> None:
    for typed in (["show", "--offline"], ["pause"], ["resume", "--reason", "a b"]):
        done = two.run(*typed, "smart-disciplne")
        assert_refused(done, 2, "unknown-increment")
        assert ["unlatch", *typed, NAME] == shlex.split(next_command(done))
    two.increment("0009-smart-searches")
    done = two.run("pause", "smart-serches")
    assert_refused(done, 2, "unknown-increment")
    assert ["  - 0009-smart-searches", f"  - {OTHER}"] == done.err.splitlines()[1:3]
    assert "unlatch list --all" == next_command(done)
    assert "  - " not in two.run("pause", "99").err


def test_an_item_without_an_increment(two: Project) -> None:
    for word in ("SCRUM-29", "octo/widgets#5"):
        assert_refused(two.run("show", word), 2, "item-not-linked")
    url = two.urls["github"].replace("issues/4", "issues/5")
    assert f"next: unlatch new --from {url}\n" in two.run("pause", url).err
    two.box.github.add_issue(number=9, title="Other", state="closed")
    assert f"next: unlatch reopen {url[:-1]}9 --reason TEXT\n" in two.run("reopen", "#9").err
    others = {"resume": "reopen", "complete": "close", "undo": "status", "show": "status"}
    for word, command in others.items():
        step = f"next: unlatch {command} {url}\n"
        assert step in two.run(word, url).err


def test_a_tracker_s_command_changes_only_the_item_that_was_named(two: Project) -> None:
    two.increment("0009-both", status="completed", links={
        "github": {"items": [{"issue": 4, "url": two.urls["github"]}]}})  # fmt: skip
    two.run("unlink", NAME, "octo/widgets#4")
    two.run("github", "reopen-issue", two.urls["github"], "--reason", REASON).ends(0)
    assert "open" == two.states()["github"]


def test_a_file_of_links_takes_every_way(two: Project) -> None:
    words = ("search", f".unlatch/increments/{OTHER}/", "0008-sm")
    rows = [f"{word} {two.urls['github']}" for word in words]
    done = two.run("link", "--file", "-", "--dry-run", "--json", stdin="\n".join(rows))
    by_key = two.run("link", "--file", "-", "--json", stdin=f"SCRUM-28 {two.urls['github']}\n")
    assert [OTHER] == [one["id"] for one in done.document["increments"]]
    assert [NAME] == [one["id"] for one in by_key.document["increments"]]


def test_a_run_and_a_session_take_every_way_and_remember_the_name(two: Project) -> None:
    tasks = "# Tasks\n\n### T-001: Do it\n\n**Status**: [ ] pending\n"
    (two.root / FOLDER / "tasks.md").write_text(tasks)
    for word in ("7", "discipline", "scrum-28", f"{FOLDER}/"):
        done = two.run("run", "check", f"increment:{word}", "--json")
        assert (0, f"increment:{NAME}") == (done.code, done.document["source"]), done.said
    two.run("session", "start", "Look into it", "--increment", "discipline")
    done = two.run("session", "list", "--json")
    assert [NAME] == [one["increment"] for one in json.loads(done.out)["sessions"]]
