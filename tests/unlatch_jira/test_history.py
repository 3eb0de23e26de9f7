"""Who changed the status of an issue, and whether it was opened or closed."""

import pytest
from tests.unlatch_jira.making import plugin_for, ref, sent

from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.jira.admin import OWNER, PERSON


def moved_issue(box: Sandbox) -> str:
    """An issue that a person closed, and our account opened again."""
    key = box.jira.add_issue(summary="Smart", status="In Progress")
    box.jira.edit(key, status="Done", by=PERSON)
    box.jira.edit(key, status="In Progress", by=OWNER)
    return key


@pytest.mark.parametrize("path", ["/myself$", "/statuses$"])
def test_what_the_account_may_not_read_is_unknown_and_asked_for_once(
    either: Sandbox, path: str
) -> None:
    key, plugin = moved_issue(either), plugin_for(either)
    either.faults.add(Fault("jira", "status", path=path, code=403, body="{}", times=9))

    found = [plugin.read_history(ref(either, key)) for _ in range(2)]

    fact = "own" if "myself" in path else "is_open"
    assert [[None, None]] * 2 == [[getattr(one, fact) for one in each.changes] for each in found]
    assert 1 == sum(one.endswith(path.rstrip("$")) for one in sent(either))
