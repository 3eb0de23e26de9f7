"""A cause that keeps several items from being updated is explained once."""

import pytest
from tests.cli.project import Project
from tests.cli.trackers.test_gate import add_issues
from tests.cli.trackers.test_sync import finished, with_issue

__all__ = ["finished", "with_issue"]
RESUME = ("resume", "--all-matching", "status=completed", "--reason", "More", "--yes")


@pytest.mark.sample
@pytest.mark.parametrize("count", [2, 20])
def test_a_refused_token_is_explained_once_with_a_line_for_few_items(
    with_issue: Project, count: int
) -> None:
    add_issues(with_issue, count)
    with_issue.extra["GITHUB_TOKEN"] = "wrong"

    first = with_issue.run(*RESUME, "--max-items", "99")
    again = with_issue.run("sync", "--max-items", "99", "--yes")

    for done in (first, again):
        assert 3 == done.code, done.said
        assert 1 == done.out.count("does not accept the token")
        shown = done.out.count(": as above [")
        assert (count if count < 20 else 2) == shown, done.out
    assert count < 20 or f"{count - 2} more items likewise" in first.out


def test_a_blocked_operation_is_shown_as_blocked(with_issue: Project) -> None:
    with_issue.box.github.edit("octo/widgets", 4, locked=True)
    assert 3 == with_issue.run("resume", "7", "--reason", "More", "--yes").code

    gate = with_issue.run("sync", "--check")
    document = with_issue.run("sync", "--check", "--json").document
    done = with_issue.run("sync", "--yes")

    assert (5, 3) == (gate.code, done.code), done.said
    assert "1 operation blocked [item-locked]" in gate.out
    assert "1 operation blocked [item-locked]" in done.out
    assert ["blocked"] == [one["verdict"] for one in document["compared"]]
    assert "1 blocked operation skipped. Next: unlatch status" in done.err
