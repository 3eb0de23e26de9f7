"""A tracker without labels: nothing is said of them, and nothing is left because of them."""

from pathlib import Path

import pytest
from tests.cli.project import REASON, Project
from tests.conformance.test_without_labels import install

LABELS = ["bug", "completed"]


@pytest.fixture
def plain(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A completed increment with an issue of a tracker whose plugin does not declare LABELS."""
    site = tmp_path / "site"
    site.mkdir()
    install(site)
    monkeypatch.syspath_prepend(site)
    project.increment(links=project.items("github"))
    return project


def resume(project: Project, *more: str) -> str:
    done = project.run("resume", "7", "--reason", REASON, "--yes", *more).ends(0)
    return done.said


def github_labels(project: Project) -> list[str]:
    return sorted(project.labels()["github"])


@pytest.mark.sweep
def test_a_reopen_and_one_by_hand_are_foreseen_and_delivered_without_labels(plain: Project) -> None:
    assert "label" not in resume(plain, "--dry-run").casefold()

    document = plain.run("resume", "7", "--reason", REASON, "--dry-run", "--json").document
    (item,) = document["items"]
    assert (item["addLabels"], item["removeLabels"], item["error"]) == ([], [], None)

    said = resume(plain)

    assert "reopened; commented" in said
    assert "label" not in said.casefold()
    assert (plain.states()["github"], github_labels(plain)) == ("open", LABELS)
    assert plain.metadata().get("pending", []) == []
    assert "label" not in plain.run("sync").said

    assert plain.run("complete", "7", "--force").code == 0
    plain.box.github.edit("octo/widgets", 4, state="open")
    before = plain.wrote()

    done = plain.run("sync", "7", "--yes")

    assert (done.code, plain.metadata()["status"]) == (0, "active"), done.said
    assert "label" not in done.said.casefold()
    assert (before, plain.metadata().get("pending", [])) == (plain.wrote(), [])


def test_rules_for_labels_do_not_concern_it(plain: Project) -> None:
    plain.configure_more(tables=f'[labels]\nreopened = "{"x" * 60}"')  # GitHub takes 50
    findings = plain.run("doctor", "--json").document["findings"]
    mistakes = [one["message"] for one in findings if one["id"] == "config-invalid"]
    assert "GitHub" not in "".join(mistakes)
