"""Many work items changed by one request: the same outcome as one by one, and nothing twice."""

import pytest
from tests.cli.project import Project
from tests.cli.work.test_bulk import COMPLETED, many, said, states

from unlatch_sandbox import Fault

COUNT = 4


def batches(project: Project) -> int:
    return sum("$batch" in one.path for one in project.box.requests.entries())


def changed_alone(project: Project) -> list[str]:
    return [
        one.path
        for one in project.box.requests.entries()
        if one.method == "PATCH" and "$batch" not in one.path and "validateOnly" not in one.query
    ]


def once_each(project: Project, count: int = COUNT) -> tuple[set[str], set[int]]:
    return states(project, count), set(said(project, range(1, count + 1)))


def test_they_are_read_and_changed_by_one_request_each(project: Project) -> None:
    names = many(project, COUNT)
    done = project.run(*COMPLETED, "--json").ends(0)
    assert (1, []) == (batches(project), changed_alone(project))
    assert ({"Active"}, {1}) == once_each(project)
    # The API's addresses, the items, the states of their type, and the change itself.
    assert project.box.requests.count("ado") == 4
    told = [one["trackers"][0] for one in done.document["increments"]]
    assert ["reopened"] * COUNT == [one["outcome"] for one in told]
    assert sum(one["requests"] for one in told) == 4
    for name in names:
        metadata = project.metadata(name)
        assert "pending" not in metadata
        assert metadata["reopenHistory"][0]["syncedTo"]["ado"]["workItemId"]
        assert metadata["ado"]["base"]["local"] == "active"


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("kind", ["drop-after", "truncate", "drop"])
def test_where_the_answer_is_lost_nothing_is_sent_again_before_the_items_were_asked(
    project: Project, kind: str
) -> None:
    many(project, COUNT)
    project.box.faults.add(Fault("ado", kind, path="batch$|batch\\?", method="PATCH"))
    lost = project.run(*COMPLETED)
    written = (batches(project), changed_alone(project))
    synced = project.run("sync")
    assert (3, 0, (1, [])) == (lost.code, synced.code, written), (lost.said, synced.said)
    assert "unknown-outcome" in lost.out
    assert ({"Active"}, {1}) == once_each(project)
    assert (kind == "drop") is (changed_alone(project) != [])


def test_what_somebody_changes_meanwhile_is_read_again(project: Project) -> None:
    many(project, COUNT)

    def meanwhile() -> None:
        project.box.ado.edit(2, tags=("mine",))

    project.box.faults.add(Fault("ado", "human", path="batch\\?", method="PATCH", action=meanwhile))
    project.run(*COMPLETED).ends(0)
    assert ({"Active"}, {1}) == once_each(project)
    assert len(changed_alone(project)) == 1
    assert "mine" in project.box.ado.work_item(2)["fields"]["System.Tags"]


def test_a_server_that_knows_no_batches_gets_them_one_by_one(project: Project) -> None:
    many(project, COUNT)
    refusal = Fault("ado", "status", code=404, body={"message": "no"}, path="batch\\?", times=9)
    project.box.faults.add(refusal)
    project.run(*COMPLETED).ends(0)
    assert (COUNT, ({"Active"}, {1})) == (len(changed_alone(project)), once_each(project))


def test_a_refused_token_leaves_each_pending_and_is_not_sent_for_each(project: Project) -> None:
    many(project, COUNT)
    project.extra["AZURE_DEVOPS_EXT_PAT"] = "wrong"
    project.run(*COMPLETED).ends(3)
    assert len(project.metadata("0001-some-work")["pending"]) == 1
    assert project.box.requests.count("ado") <= 2
