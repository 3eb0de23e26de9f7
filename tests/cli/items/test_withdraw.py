"""Giving up operations on items that belong to no increment."""

import pytest
from tests.cli.project import OPEN, REASON, Project

from unlatch_sandbox import Fault

WRONG = "octo/widgets#4"


def hide_repository(project: Project) -> None:
    fault = Fault("github", "status", code=404, path=r"/repos/octo/widgets(\?|$)", times=99)
    project.box.faults.add(fault)


@pytest.fixture(params=["project", "outside"])
def mistyped(request: pytest.FixtureRequest) -> Project:
    """Operations on an item in a hidden repository, which no sync can deliver."""
    project: Project = request.getfixturevalue(request.param)
    hide_repository(project)
    assert 3 == project.run("reopen", WRONG, "--reason", REASON).code
    return project


@pytest.mark.sample(at=(0,))
def test_unlink_withdraws_the_operations_on_an_item(mistyped: Project) -> None:
    stuck = mistyped.run("sync")
    foreseen = mistyped.run("unlink", WRONG, "--dry-run")
    unchanged = mistyped.run("sync")
    done = mistyped.run("unlink", WRONG)
    after = [mistyped.run(*words) for words in (("sync",), ("status",))]

    assert (3, 0, 3, 0) == (stuck.code, foreseen.code, unchanged.code, done.code), done.said
    assert "Would drop 1 pending operation.\nNothing was written.\n" in foreseen.said
    assert "/octo/widgets/issues/4 left as it is\nDropped 1 pending operation.\n" in done.said
    assert WRONG not in "".join(one.said for one in after)
    # The item can be reopened later for the same reason.
    mistyped.items("github")
    later = mistyped.run("reopen", mistyped.urls["github"], "--reason", REASON)
    assert (0, {"github": OPEN["github"]}) == (later.code, mistyped.states()), later.said
    assert "unlinked" in mistyped.run("history", WRONG).out


def test_a_failure_that_a_person_has_to_resolve_names_the_command(project: Project) -> None:
    hide_repository(project)
    failed = project.run("reopen", WRONG, "--reason", REASON)
    *_, line = failed.err.splitlines()
    command = line.partition("unlatch ")[2].split()
    document = project.run(*command, "--json").document
    assert "    To withdraw it" == line.partition(":")[0]
    assert (1, False) == (document["dropped"], document["dryRun"])
    # The records stay valid.
    checks = [project.run("doctor"), project.run("history", "verify", WRONG)]
    assert [0, 0] == [one.code for one in checks], "".join(one.said for one in checks)


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("place", ["project", "outside"])
def test_undo_of_an_item_without_a_reopen_says_that_there_is_none(
    request: pytest.FixtureRequest, place: str
) -> None:
    project: Project = request.getfixturevalue(place)
    project.items("github")
    url = project.urls["github"]

    unknown = project.run("undo", url)
    project.run("reopen", url, "--reason", REASON, "--offline")
    project.run("unlink", url)
    withdrawn = project.run("undo", url)
    project.run("reopen", url, "--reason", REASON)
    project.run("close", url, "--reason", "No", "--offline")
    closing = project.run("undo", url)
    project.run("sync")
    closed = project.run("undo", url)

    for done in (unknown, withdrawn, closing, closed):
        assert (1, True) == (done.code, "[nothing-to-undo]" in done.err), done.said
        assert f"next: unlatch status {url}\n" in done.err


# Lives of a closed item, and its state after an undo, None where there is nothing to undo; `later`
# records an operation that is not sent.
LIVES = {
    "reopen": "closed",
    "open": None,
    "open reopen": None,
    "open reopen reopen": None,
    "open reopen close": None,
    "reopen reopen": "closed",
    "reopen close": None,
    "reopen close reopen": "closed",
    "reopen close open reopen": None,
    "reopen close reopen-later unlink": None,
    "reopen close-later": None,
    "reopen close-later unlink": "closed",
    "reopen close-later reopen": "closed",
    "reopen reopen-later unlink": "closed",
    "reopen-later": "closed",
    "reopen-later close": None,
    "reopen-later close-later sync": None,
    "open reopen-later": "open",
    "close": None,
}


def live(project: Project, *steps: str) -> None:
    url = project.urls["github"]
    for number, step in enumerate(steps):
        verb, _, later = step.partition("-")
        reason = ("--reason", f"{REASON} {number}", *(("--offline",) if later else ()))
        if verb == "open":
            project.box.github.edit("octo/widgets", 4, state="open")
        elif verb == "sync":
            project.run("sync")
        else:
            project.run(verb, url, *(() if verb == "unlink" else reason))


@pytest.mark.sample(at=(10, 12, 20, 32, 36))
@pytest.mark.parametrize("steps", LIVES)
@pytest.mark.parametrize("events", [True, False])
def test_undo_closes_an_item_only_if_a_reopen_opened_it(
    project: Project, steps: str, events: bool
) -> None:
    project.items("github")
    live(project, *steps.split())
    for path in project.root.glob(".unlatch/items/*/events.jsonl") if not events else ():
        path.unlink()  # metadata.json has all that counts
    before, after = project.states()["github"], LIVES[steps]
    if steps == "reopen close-later unlink" and not events:
        after = before  # only events.jsonl shows that the close was withdrawn
    done = project.run("undo", project.urls["github"], "-y")
    assert (1 if after is None else 0, after or before) == (done.code, project.states()["github"])
    assert (after is None) is ("[nothing-to-undo]" in done.err), done.said
    assert 0 == project.run("sync").code
    assert (after or before) == project.states()["github"] or "close" in steps
