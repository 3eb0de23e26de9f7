"""`unlatch history verify`: the local records and the trackers, with and without tampering."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import ALL, NAME, REASON, Project

import unlatch_github
from unlatch.spi import Capability
from unlatch_sandbox import Fault

RESUME = ("resume", "7", "--yes", "--reason", REASON, "--by", "Dana Demo")


@pytest.fixture
def reopened(project: Project) -> Project:
    def reopen(new: Project) -> None:
        new.increment(links=new.items())
        assert new.run(*RESUME).code == 0

    project.enter("reopened by Dana Demo", reopen)
    return project


def verify(project: Project, *words: str, code: int = 0) -> dict[str, Any]:
    done = project.run("history", "verify", *words, "--json").ends(code)
    found: dict[str, Any] = done.document
    return found


def wrong(project: Project) -> list[tuple[str, str | None]]:
    """The ids of all parts that are not OK, with their trackers."""
    document = verify(project, code=5)
    return [
        (check["id"], check["tracker"])
        for increment in document["increments"]
        for entry in increment["entries"]
        for check in entry["checks"]
        if check["verdict"] != "ok"
    ]


def test_a_delivered_reopen_is_confirmed_and_shown_and_nothing_is_written(
    reopened: Project,
) -> None:
    reopened.box.requests.clear()
    tree = reopened.tree()

    document = verify(reopened, "7")

    (increment,) = document["increments"]
    (entry,) = increment["entries"]
    parts = [(one["part"], one["tracker"], one["verdict"]) for one in entry["checks"]]
    expected: list[tuple[str, str | None, str]] = [("record", None, "ok")]
    for tracker in ("github", "ado", "jira"):
        expected += [("comment", tracker, "ok"), ("state", tracker, "ok")]
    assert expected == sorted(parts, key=expected.index)
    assert tree == reopened.tree()
    assert reopened.wrote() == []
    # Two for each item; some also ask once for what they keep, such as the account of the token.
    # The statuses of the Jira project and the type of the work item may be in a cache, or not.
    assert len(reopened.sent()) in (11, 13)

    done = reopened.run("history", "verify", "7")

    lines = done.out.splitlines()
    assert lines[0] == NAME
    assert "reopened by Dana Demo" in lines[1]
    assert lines[2:] == [
        "    ok         files: record",
        "    ok         github octo/widgets#4: comment by octocat, state",
        "    ok         ado fabrikam/widgets 101: comment by Octo Cat, state",
        "    ok         jira SCRUM-28: comment by Octo Cat, state",
    ]
    assert done.err == "1 entry, 7 parts checked: 0 differ, 0 not checked.\n"
    assert reopened.run("history", "verify").out == ""

    reopened.increment("0008-more", links=None)

    document = verify(reopened, "7-9", "SCRUM-28", "8")

    assert [NAME, "0008-more"] == [one["id"] for one in document["increments"]]


def _first(project: Project, tracker: str) -> Any:
    """The id of the item's first comment."""
    box = project.box
    found = {
        "github": lambda: box.github.comments("octo/widgets", 4),
        "ado": lambda: box.ado.comments(101),
        "jira": lambda: box.jira.comments("SCRUM-28"),
    }
    return found[tracker]()[0]["id"]


def _edit(project: Project, tracker: str, change: Callable[[str], str | None]) -> None:
    """Edit or delete the first comment of an item, as a person."""
    box, text, id_ = project.box, project.comments()[tracker][0], _first(project, tracker)
    if tracker == "github":
        box.github.edit_comment("octo/widgets", id_, change(text))
    elif tracker == "ado":
        box.ado.edit_comment(101, id_, change(text))
    else:
        box.jira.edit_comment("SCRUM-28", id_, change(text))


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", ALL)
def test_an_edited_comment_counts_while_it_has_the_reason(reopened: Project, tracker: str) -> None:
    _edit(reopened, tracker, lambda text: f"See the wiki. {text}")
    verify(reopened)
    _edit(reopened, tracker, lambda text: text.replace("error handling", "nothing"))
    assert wrong(reopened) == [("comment-reason", tracker)]
    _edit(reopened, tracker, lambda _: None)
    assert wrong(reopened) == [("comment-missing", tracker)]


def test_a_copy_of_a_comment_counts_by_the_rights_of_its_author(project: Project) -> None:
    project.increment(links=project.items("github"))
    assert project.run(*RESUME).code == 0
    github, (text,) = project.box.github, project.comments()["github"]
    github.add_person("mallory")
    github.add_person("mona", role="write")
    _edit(project, "github", lambda _: None)
    github.add_comment("octo/widgets", 4, f"{text}\n\nWho deleted this?")  # it quotes the marker
    assert wrong(project) == [("comment-missing", "github")]
    _edit(project, "github", lambda _: None)
    github.add_comment("octo/widgets", 4, text, "mallory")
    assert wrong(project) == [("comment-author", "github")]
    assert "only mallory, without write permission" in project.run("history", "verify").out
    github.add_repository("octo/widgets", push=False)  # hides the rights of others
    assert wrong(project) == [("author-unknown", "github")]
    github.add_repository("octo/widgets")
    _edit(project, "github", lambda _: None)
    github.add_comment("octo/widgets", 4, text, "mona")
    project.run("history", "verify", "7").shows(
        out="    ok         github octo/widgets#4: comment by mona, state\n"
    )


def test_an_item_that_cannot_be_read_is_named(reopened: Project) -> None:
    reopened.box.ado.delete(101)
    assert wrong(reopened) == [("item-gone", "ado")]
    reopened.extra["JIRA_API_TOKEN"] = None
    assert wrong(reopened) == [("item-gone", "ado"), ("credential-missing", "jira")]
    assert "not checked" in reopened.run("history", "verify").err


# For each key of an entry: a forged value, the key of its event, and what differs.
FORGED = {
    "reason": ("No reason", "reason", "reason-differs", "comment-reason"),
    "reopenedBy": ("Eve", "by", "person-differs", "comment-person"),
    "reopenedAt": ("2025-11-05T00:00:00Z", "at", "time-differs", "comment-time"),
}


def _forge(project: Project, **changed: Any) -> None:
    """Change keys of metadata.json; None removes one."""
    data = {key: one for key, one in {**project.metadata(), **changed}.items() if one is not None}
    (project.folder() / "metadata.json").write_text(json.dumps(data, indent=2) + "\n")


def _forge_events(project: Project, events: list[dict[str, Any]]) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in events)
    (project.folder() / "events.jsonl").write_text(lines)


@pytest.mark.sweep
def test_an_edited_entry_differs_from_its_event_and_from_the_comments(reopened: Project) -> None:
    (entry,), events = reopened.metadata()["reopenHistory"], reopened.events()
    for key, (value, event_key, own, on_trackers) in FORGED.items():
        _forge(reopened, reopenHistory=[{**entry, key: value}])
        expected = _on_each(on_trackers)
        assert sorted(wrong(reopened), key=str) == sorted([(own, None), *expected], key=str), key
        # In both files, only the trackers tell.
        _forge_events(reopened, [{**events[0], event_key: value}, *events[1:]])
        assert sorted(wrong(reopened)) == expected, key
        _forge_events(reopened, events)


def test_what_was_lost_is_named_by_what_is_left(reopened: Project) -> None:
    events = reopened.events()
    (reopened.folder() / "events.jsonl").unlink()
    assert wrong(reopened) == [("event-missing", None)] + 3 * [("delivery-missing", None)]
    _forge_events(reopened, [*events, {**events[0], "reason": "Another"}])
    assert ("event-repeated", None) in wrong(reopened)
    _forge_events(reopened, events)
    _forge(reopened, reopenHistory=None)
    assert wrong(reopened) == [("entry-missing", None)]
    (reopened.folder() / "events.jsonl").write_text("")
    assert sorted(wrong(reopened)) == _on_each("operation-unknown")


def _on_each(id_: str) -> list[tuple[str, str | None]]:
    return [(id_, tracker) for tracker in sorted(ALL)]


CLOSING = ("complete", "7", "--force", "--reason", "Done at last", "--by", "Dana Demo")
# For each key of the event of a closing: another value, and what differs then.
REWRITTEN: dict[str, tuple[Any, str]] = {
    "by": ("Mallory", "comment-person"),
    "reason": (None, "comment-reason"),
    "at": ("2025-11-05T00:00:00Z", "comment-time"),
}


def test_a_rewritten_closing_differs_from_the_comments(reopened: Project) -> None:
    assert reopened.run(*CLOSING).code == 0
    verify(reopened)
    events = reopened.events()
    closing = next(one for one in events if one.get("to") == "completed")

    def rewrite(**values: Any) -> None:
        """Change keys of the event of the closing; None removes one."""
        changed = {k: v for k, v in {**closing, **values}.items() if v is not None}
        _forge_events(reopened, [changed if one == closing else one for one in events])

    for key, (value, id_) in REWRITTEN.items():
        rewrite(forced=None, **{key: value})
        assert sorted(wrong(reopened)) == _on_each(id_), key

    rewrite(reason="Another")
    assert sorted(wrong(reopened)) == _on_each("comment-reason")

    _forge_events(reopened, [one for one in events if one.get("op") != closing["id"]])
    assert sorted(wrong(reopened), key=str) == _on_each("delivery-missing")


@pytest.mark.parametrize(
    ("tracker", "method", "path"),
    [
        pytest.param("github", "PATCH", "/issues/4$", marks=pytest.mark.sweep),
        ("github", "POST", "/comments$"),
        pytest.param("github", "DELETE", "/labels/", marks=pytest.mark.sweep),
        pytest.param("ado", "PATCH", "/workItems/101", marks=pytest.mark.sweep),
        # The same parts as on GitHub.
        pytest.param("jira", "POST", "/transitions", marks=pytest.mark.sweep),
        pytest.param("jira", "PUT", "/SCRUM-28", marks=pytest.mark.sweep),
    ],
)
def test_a_closing_that_is_partly_delivered_raises_no_alarm(
    reopened: Project, tracker: str, method: str, path: str
) -> None:
    fault = Fault(tracker, "status", method=method, path=path, code=503, times=99)
    reopened.box.faults.add(fault)
    assert reopened.run("--max-wait", "0", *CLOSING).code == 3
    assert reopened.metadata()["pending"]
    verify(reopened)
    reopened.box.faults.clear()
    _resume(reopened)
    verify(reopened)


def test_a_lost_entry_of_a_renamed_increment_is_named(reopened: Project) -> None:
    _forge(reopened, reopenHistory=None)
    (reopened.folder() / "events.jsonl").write_text("")
    reopened.folder().rename(reopened.increments / "0007-renamed")
    assert sorted(wrong(reopened)) == _on_each("operation-unknown")
    assert reopened.run("doctor", "--fix", "--yes").code == 0
    assert reopened.metadata("0007-renamed")["formerIds"] == [NAME]
    assert sorted(wrong(reopened)) == _on_each("operation-unknown")


def test_a_forged_reopen_is_not_on_the_trackers(reopened: Project) -> None:
    op, at = "01JC0000000000000000000002", "2025-10-02T00:00:00Z"
    (entry,), events = reopened.metadata()["reopenHistory"], reopened.events()
    earlier = {"id": op, "reopenedAt": at, "previousCompletedAt": "2025-10-01T00:00:00Z"}
    _forge(reopened, reopenHistory=[{**entry, **earlier}, entry])
    forged = [
        {**one, "id": f"01JC000000000000000000001{n}", "at": at, "op": op}
        for n, one in enumerate(events[1:])
    ]
    _forge_events(reopened, [{**events[0], "id": op, "at": at}, *forged, *events])
    expected = [*_on_each("comment-missing"), *_on_each("state-missing")]
    assert sorted(wrong(reopened)) == expected


def _resume(project: Project, reason: str = "More turned up", *options: str) -> None:
    project.run("resume", "7", "--yes", "--reason", reason, *options).ends(0)


def _complete(project: Project) -> None:
    project.run("complete", "7", "--force", "--reason", "Done at last").ends(0)


@pytest.mark.sweep
def test_a_long_life_raises_no_alarm(reopened: Project) -> None:
    _complete(reopened)
    _resume(reopened, "It's <b>not</b> *done* @octocat #12 {x} &amp; http://example.com/a_b")
    assert reopened.run("undo", "7", "--yes").code == 0
    verify(reopened)
    _resume(reopened, "Again", "--comment", "short")
    _complete(reopened)
    _resume(reopened, "Quietly", "--comment", "none")
    _complete(reopened)
    verify(reopened)
    # People change labels, and reopen an item by hand.
    reopened.box.github.edit("octo/widgets", 4, labels=[], state="open")
    assert reopened.run("sync", "--yes").code == 0
    assert reopened.metadata()["status"] == "active"
    verify(reopened)
    for url in reopened.urls.values():
        assert reopened.run("unlink", "7", url).code == 0
    document = verify(reopened)
    assert {"github", "ado", "jira"} <= {
        check["tracker"]
        for entry in document["increments"][0]["entries"]
        for check in entry["checks"]
    }


def test_moved_items_are_followed(reopened: Project) -> None:
    box = reopened.box
    box.github.add_repository("octo/gadgets")
    box.jira.add_project("OPS")
    reopened.configure(
        box.config()
        .replace(
            'repository = "octo/widgets"',
            'repository = "octo/widgets"\nrepositories = ["octo/gadgets"]',
        )
        .replace('project = "SCRUM"', 'project = "SCRUM"\nprojects = ["OPS"]')
    )
    box.github.transfer_issue("octo/widgets", 4, "octo/gadgets")
    box.jira.move("SCRUM-28", "OPS")
    verify(reopened)
    reopened.run("complete", "7", "--force", "--reason", "Done at last", "--follow").ends(0)
    verify(reopened)


@pytest.mark.sweep
def test_two_clones_that_reopened_at_once_raise_no_alarm(project: Project, tmp_path: Path) -> None:
    project.increment(links=project.items())
    (project.root / ".gitattributes").write_text("events.jsonl merge=union\n")
    project.commit()
    other = replace(project, root=tmp_path / "other")
    project.git("clone", "--quiet", str(project.root), str(other.root), cwd=tmp_path)
    for one, reason in ((project, "Ours"), (other, "Theirs")):
        assert one.run("resume", "7", "--yes", "--reason", reason, "--offline").code == 0
    for one in (project, other):
        assert one.run("sync", "--yes").code == 0
        one.git("add", "--all", cwd=one.root)
        one.git("commit", "--quiet", "--message", "Reopen", cwd=one.root)
    project.git("fetch", "--quiet", str(other.root), "main")
    subprocess.run(
        ["git", "merge", "--quiet", "FETCH_HEAD"],
        cwd=project.root,
        check=False,
        env=project.environ,
    )
    assert project.run("merge", "--resolve", "7").code == 0
    assert len(project.metadata()["reopenHistory"]) == 2

    verify(project)


@pytest.mark.sweep
def test_created_and_updated_items_and_new_scope_raise_no_alarm(reopened: Project) -> None:
    reopened.increment("0008-other", status="active")
    assert reopened.run("link", "8", "--create", "github").code == 0
    assert reopened.run("github", "update-issue", "8", "--reason", "Spelling").code == 0
    scope = (
        "--scope",
        "Rules can be *switched* off",
        "--task",
        "Add a switch",
        "--reason",
        "Asked",
    )
    assert reopened.run("resume", "7", "--yes", *scope).code == 0
    assert reopened.run("ado", "reopen-work-item", "7", "--reason", "Once more").code == 0
    verify(reopened)

    reopened.box.github.edit("octo/widgets", 4, title="Another title", assignees=["octocat"])
    verify(reopened)


def test_a_plugin_without_histories_is_checked_as_far_as_it_goes(
    reopened: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = unlatch_github.manifest
    less = manifest.capabilities - {Capability.HISTORY}
    monkeypatch.setattr(unlatch_github, "manifest", replace(manifest, capabilities=less))
    # The state is as the reopen left it; the text of the comment cannot be compared.
    assert wrong(reopened) == [("history-not-offered", "github")]
    reopened.box.github.edit("octo/widgets", 4, state="closed")
    assert wrong(reopened) == 2 * [("history-not-offered", "github")]
    _edit(reopened, "github", lambda _: None)
    assert ("comment-missing", "github") in wrong(reopened)


def test_verify_is_a_command_of_history_and_no_increment(project: Project) -> None:
    project.increment("0001-verify-the-build")
    usage = project.run("history", "verify", "--help").out.splitlines()[0]
    assert usage == "Usage: unlatch history verify [OPTIONS] [ID|ITEM]..."
    assert project.run("history", "verify").err == "Nothing is recorded yet.\n"
    assert "created" in project.run("history", "verify-the-build").out
    assert "created" in project.run("history", "--json", "1").out
