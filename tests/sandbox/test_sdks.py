"""Each vendor's own library takes the sandbox for its tracker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch_sandbox import Sandbox


def test_pygithub_closes_reopens_labels_and_comments(box: Sandbox) -> None:
    github = pytest.importorskip("github")
    box.github.add_issue(number=4, title="Smart", labels=["completed", "ux"])
    client = github.Github(
        base_url=box.github.api_url,
        auth=github.Auth.Token(box.github.token),
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=0,
    )
    with client:
        issue = client.get_repo("octo/widgets").get_issue(4)
        issue.edit(state="closed", state_reason="not_planned")
        assert (issue.state, issue.state_reason) == ("closed", "not_planned")
        issue.edit(state="open", state_reason="reopened")
        comment = issue.create_comment("why")
        issue.add_to_labels("reopened")
        issue.remove_from_labels("completed")
        assert [comment.id] == [one.id for one in issue.get_comments()]
        issue.update()
        assert not issue.update()
        repository = client.get_repo("octo/widgets")
        assert [one.number for one in repository.get_issues(labels=["reopened"])] == [4]
        created = repository.create_issue("New", body="B", labels=["a"])
        assert (created.number, client.get_user().login) == (5, "octocat")
    shown = box.github.issue("octo/widgets", 4)
    assert (shown["state"], [lb["name"] for lb in shown["labels"]]) == ("open", ["ux", "reopened"])


@pytest.fixture
def work_items(box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AZURE_DEVOPS_CACHE_DIR", str(tmp_path))
    connection = pytest.importorskip("azure.devops.connection")
    # The library looks for its folder once, when it is imported; another test's may be gone by now.
    caches = pytest.importorskip("azure.devops._file_cache")
    for name in ("OPTIONS_CACHE", "RESOURCE_CACHE"):
        monkeypatch.setattr(getattr(caches, name), "file_name", str(tmp_path / f"{name}.json"))
    authentication = pytest.importorskip("msrest.authentication")
    credentials = authentication.BasicAuthentication("", box.ado.token)
    made = connection.Connection(base_url=box.ado.organization_url, creds=credentials)
    client = made.clients_v7_1.get_work_item_tracking_client()
    yield client
    client._client.close()


def test_azure_devops_library_closes_reopens_tags_and_comments(work_items: Any) -> None:
    models = pytest.importorskip("azure.devops.v7_1.work_item_tracking.models")

    def steps(*found: tuple[str, str, object]) -> list[Any]:
        return [models.JsonPatchOperation(op=op, path=p, value=value) for op, p, value in found]

    title = steps(("add", "/fields/System.Title", "Smart"), ("add", "/fields/System.Tags", "ux"))
    item = work_items.create_work_item(title, "widgets", "User Story")
    close = steps(("add", "/fields/System.State", "Closed"))
    closed = work_items.update_work_item(close, item.id, project="widgets")
    kind = work_items.get_work_item_type("widgets", "User Story")
    targets = [transition.to for transition in kind.transitions["Closed"]]
    assert "Active" in targets
    opened = work_items.update_work_item(
        steps(
            ("test", "/rev", closed.rev),
            ("add", "/fields/System.State", "Active"),
            ("replace", "/fields/System.Tags", "ux; reopened"),
            ("add", "/fields/System.History", "why"),
        ),
        item.id,
        expand="All",
    )
    assert (
        opened.fields["System.State"],
        opened.fields["System.Tags"],
    ) == ("Active", "reopened; ux")
    comments = work_items.get_comments("widgets", item.id, order="asc").comments
    assert [comment.text for comment in comments] == ["why"]
    assert opened.rev == len(work_items.get_updates(item.id))
    wiql = models.Wiql(query="SELECT [System.Id] FROM WorkItems WHERE [System.Tags] CONTAINS 'ux'")
    assert [item.id] == [one.id for one in work_items.query_by_wiql(wiql).work_items]
    batch = models.WorkItemBatchGetRequest(ids=[item.id], fields=["System.Title"])
    assert [one.fields["System.Title"] for one in work_items.get_work_items_batch(batch)] == [
        "Smart"
    ]
    states = work_items.get_work_item_type_states("widgets", "User Story")
    assert {state.name: state.category for state in states}["Active"] == "InProgress"


def test_azure_devops_library_reports_a_stale_revision(box: Sandbox, work_items: Any) -> None:
    models = pytest.importorskip("azure.devops.v7_1.work_item_tracking.models")
    exceptions = pytest.importorskip("azure.devops.exceptions")
    number = box.ado.add_work_item(title="T")
    stale = [models.JsonPatchOperation(op="test", path="/rev", value=99)]
    with pytest.raises(exceptions.AzureDevOpsServiceError) as caught:
        work_items.update_work_item(stale, number)
    assert caught.value.type_key == "TestPatchOperationFailedException"


@pytest.mark.parametrize("deployment", ["Cloud", "Server"])
def test_jira_library_closes_reopens_labels_and_comments(box: Sandbox, deployment: str) -> None:
    jira = pytest.importorskip("jira")
    admin = box.jira
    admin.add_project("OPS", workflow="classic", deployment=deployment)
    credentials: dict[str, Any] = (
        {"basic_auth": (admin.email, admin.token)}
        if deployment == "Cloud"
        else {"token_auth": admin.pat}
    )
    client = jira.JIRA(admin.site, max_retries=0, timeout=10, **credentials)
    issue = client.create_issue(
        project="OPS", summary="Smart", issuetype={"name": "Story"}, labels=["completed"]
    )
    client.transition_issue(issue, "Close Issue", fields={"resolution": {"name": "Done"}})
    assert client.issue(issue.key).fields.resolution.name == "Done"
    client.transition_issue(issue, "Reopen Issue")
    client.add_comment(issue, "why")
    issue.update(update={"labels": [{"add": "reopened"}, {"remove": "completed"}]})
    again = client.issue(issue.key, expand="transitions")
    assert (
        again.fields.status.name,
        again.fields.resolution,
        again.fields.labels,
    ) == ("Reopened", None, ["reopened"])
    assert [comment.body for comment in client.comments(issue)] == ["why"]
    found = client.search_issues("project = OPS AND labels = reopened ORDER BY created DESC")
    assert [issue.key] == [one.key for one in found]
    client.close()
