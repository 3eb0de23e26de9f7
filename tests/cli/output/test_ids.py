"""Every way to name an increment works wherever an ID is accepted."""

import dataclasses
import json

import pytest
from tests.cli.project import NAME, Done, Project
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


BARE = {"github": {"issue": 4}, "ado": {"workItemId": 101}, "jira": {"issueKey": "SCRUM-28"}}
# On the hosts of the sandbox, but for the whole ones.
ELSEWHERE = {
    "github": ("/octo/widgets/issues/5", "/octo/gadgets/issues/4"),
    "ado": ("/widgets/_workitems/edit/102",),
    "jira": ("/browse/SCRUM-29", "/browse/OTHER-28"),
}
FOREIGN = ("https://github.com/other/repo/issues/99", "https://example.com/", "x://")


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


COMMANDS = [
    "complete --dry-run", "undo --yes", "sync --dry-run", "link --suggest",
    "github create-issue --dry-run", "resume --reason why --dry-run", "merge --resolve",
    "unlink ID github",
]  # fmt: skip


@pytest.mark.sample(count=3)
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


def test_a_run_and_a_session_take_every_way_and_remember_the_name(two: Project) -> None:
    tasks = "# Tasks\n\n### T-001: Do it\n\n**Status**: [ ] pending\n"
    (two.root / FOLDER / "tasks.md").write_text(tasks)
    for word in ("7", "discipline", "scrum-28", f"{FOLDER}/"):
        done = two.run("run", "check", f"increment:{word}", "--json")
        assert (0, f"increment:{NAME}") == (done.code, done.document["source"]), done.said
    two.run("session", "start", "Look into it", "--increment", "discipline")
    done = two.run("session", "list", "--json")
    assert [NAME] == [one["increment"] for one in json.loads(done.out)["sessions"]]
