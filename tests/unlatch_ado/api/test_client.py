"""The SDK over the transport: requests, their origin, token, number and version."""

from pathlib import Path
from typing import Any

import pytest
import responses
from tests.unlatch_ado.making import (
    OP,
    add_comments,
    creating,
    day_ago,
    plugin_for,
    ref,
    sent_requests,
    settings,
    words,
    write_change,
)

from unlatch.errors import Rejected, UnknownOutcome
from unlatch.spi import Change, Scheme
from unlatch.spi.operation import Category
from unlatch.transport import for_tests
from unlatch.transport.credentials import find_credential
from unlatch_ado import manifest
from unlatch_ado.api.client import Client, newest_query
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault, Sandbox

HOST = "https://dev.azure.com/Fabrikam"
_ITEMS = "{project}/_apis/{area}/{resource}"
ROUTES = {
    "72c7ddf8-2cdc-4f60-90cd-ab71c14a399b": ("workItems", _ITEMS + "/{id}"),
    "62d3d110-0047-428c-ad3c-4fe872c91c74": ("workItems", _ITEMS + "/${type}"),
}


def answered_routes(**other: str) -> dict[str, object]:
    found = {**ROUTES, **{key.replace("_", "-"): ("evil", value) for key, value in other.items()}}
    value = [
        {
            "id": route,
            "area": "wit",
            "resourceName": resource,
            "routeTemplate": template,
            "resourceVersion": 3,
            "minVersion": 1.0,
            "maxVersion": 7.2,
            "releasedVersion": "7.1",
        }
        for route, (resource, template) in found.items()
    ]
    return {"count": len(value), "value": value}


def client_for(url: str, cache: Path) -> Client:
    return Client(url, for_tests("ado", url, token="secret-token", cache=cache))


def test_the_token_is_in_no_file_that_is_kept(box: Sandbox, tmp_path: Path) -> None:
    plugin = plugin_for(box, cache=tmp_path)
    plugin.read(ref(box, box.ado.add_work_item(title="x")))
    kept = [file.read_text() for file in tmp_path.iterdir()]
    assert len(kept) == 2
    assert all(box.ado.token not in text for text in kept)


def test_a_route_from_the_cache_or_server_leads_to_no_other_host(tmp_path: Path) -> None:
    evil = {"608aac0a_32e1_4493_a863_b9cf4566d257": "https://evil.example/{workItemId}"}
    evil |= {"6570bf97_d02c_4a91_8d93_3abe9895b1a9": "https://evil.example/{id}"}
    with responses.RequestsMock() as server:
        server.add("OPTIONS", "https://dev.azure.com/Fabrikam/_apis", json=answered_routes(**evil))
        with pytest.raises(Rejected, match="call-not-offered:"):
            client_for(HOST, tmp_path).comments_with("Widgets", "101", OP)
        assert len(server.calls) == 1


@pytest.mark.parametrize("body", [{}, [], {"id": 101}, {"id": 101, "rev": 1, "fields": {}}])
def test_a_yes_to_a_change_that_cannot_be_read_is_an_unknown_outcome(
    tmp_path: Path, body: object
) -> None:
    with responses.RequestsMock() as server:
        server.add("OPTIONS", "https://dev.azure.com/Fabrikam/_apis", json=answered_routes())
        server.add("PATCH", f"{HOST}/_apis/wit/workItems/101", json=body)
        with pytest.raises(UnknownOutcome):
            client_for(HOST, tmp_path).change("101", ())


@pytest.mark.parametrize("body", [{}, [], {"value": []}, {"value": 3}])
def test_a_server_that_is_no_azure_devops_is_said_to_be_none(tmp_path: Path, body: object) -> None:
    with responses.RequestsMock() as server:
        server.add("OPTIONS", "https://dev.azure.com/Fabrikam/_apis", json=body)
        with pytest.raises(Rejected, match="answer-not-understood:"):
            client_for(HOST, tmp_path).read("101")


@pytest.mark.parametrize(
    "part",
    [
        *({name: None} for name in ("maxVersion", "routeTemplate", "releasedVersion", "area")),
        *({"routeTemplate": text} for text in ("a/}", "{id", "{0.x}", "a{7}", "a{kind}")),
        *({"minVersion": 99.0}, {"releasedVersion": "soon"}),
    ],
    ids=str,
)
def test_a_route_that_cannot_be_used_is_an_error_of_the_server(
    tmp_path: Path, part: dict[str, object]
) -> None:
    body: Any = answered_routes()
    body["value"] = [{**route, **part} for route in body["value"]]
    with responses.RequestsMock() as server:
        server.add("OPTIONS", "https://dev.azure.com/Fabrikam/_apis", json=body)
        with pytest.raises(Rejected, match=r"answer-not-understood:|call-not-offered:"):
            client_for(HOST, tmp_path).read("101")


def test_a_state_that_is_no_longer_legal_is_chosen_anew(box: Sandbox, tmp_path: Path) -> None:
    number = box.ado.add_work_item(type="Task", title="x", state="Removed")
    chosen = settings(box, states={"reopened": "In Progress"})
    transport = for_tests("ado", chosen.base_url, token=box.ado.token, cache=tmp_path)
    plugin = AdoPlugin(chosen, transport)
    assert plugin.read(ref(box, number)).item.category is Category.DROPPED
    box.ado.add_project("widgets", "Scrum")
    box.ado.edit(number, state="Done")
    assert write_change(plugin, ref(box, number)).after.state == "In Progress"


def test_the_query_for_new_items_escapes_the_project() -> None:
    assert newest_query("It's' OR 1=1", "7") == (
        "SELECT [System.Id] FROM WorkItems WHERE [System.TeamProject] = 'It''s'' OR 1=1' "
        "AND [System.Id] < 7 ORDER BY [System.Id] DESC"
    )


def test_all_pages_of_comments_are_read(box: Sandbox, plugin: AdoPlugin) -> None:
    number = box.ado.add_work_item(title="x")
    box.ado.add_comment(number, f"<div>unlatch&nbsp;ref <b>{OP}</b></div>")
    add_comments(box, number, 401)
    box.requests.clear()
    assert len(plugin.find_comments(ref(box, number), OP)) == 1
    assert sent_requests(box) == ["GET", "GET", "GET"]


def test_updates_are_looked_through_where_comments_are_not_offered(
    box: Sandbox, plugin: AdoPlugin
) -> None:
    number = box.ado.add_work_item(title="x")
    add_comments(box, number, 200)
    write_change(plugin, ref(box, number), Change(OP, comment=words("why")))
    box.faults.add(Fault("ado", "status", code=404, path="/comments", body="Not Found"))
    found = plugin.find_comments(ref(box, number), OP)
    assert [f"update-{box.ado.updates(number)[-1]['id']}"] == [comment.id for comment in found]
    assert "why" in found[0].text


PAT, PIPELINE = "AZURE_DEVOPS_EXT_PAT", "SYSTEM_ACCESSTOKEN"
AZ = (
    "az account get-access-token --resource 499b84ac-1321-427f-aa17-267ca6975798 "
    "--query accessToken --output tsv"
)


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize(
    "newest",
    [
        "5.1",
        "7.2",
        *(pytest.param(version, marks=pytest.mark.sweep) for version in ("6.0", "7.0", "7.1")),
    ],
)
def test_an_older_server_is_asked_in_its_own_version(box: Sandbox, newest: str) -> None:
    box.ado.newest_version = newest
    plugin = plugin_for(box)
    item = ref(box, box.ado.add_work_item(title="x", state="Closed"))
    assert write_change(plugin, item).after.state == "Active"
    assert len(plugin.find_comments(item, OP)) == 1
    assert plugin.create(creating()).after.state == "New"
    assert plugin.find_created(OP, day_ago()) is not None
    assert plugin.read_many([item])
    assert plugin.examine([item]).login == "Octo Cat"


def test_a_version_can_be_set_where_a_server_says_too_much(box: Sandbox, tmp_path: Path) -> None:
    plugin_for(box, cache=tmp_path).read(ref(box, box.ado.add_work_item(title="x")))
    # The addresses and versions are kept for a day; the server was put back to an older version.
    box.ado.newest_version = "6.0"
    item = ref(box, box.ado.add_work_item(title="y"))
    with pytest.raises(Rejected, match=r"supports is 6\.0") as caught:
        plugin_for(box, cache=tmp_path).read(item)
    assert caught.value.id == "version-not-offered"
    assert "`api_version`" in (caught.value.hint or "")
    plugin = plugin_for(box, cache=tmp_path, api_version="6.0")
    assert plugin.read(item).item.title == "y"
    assert write_change(plugin, item, Change(OP, comment=words("why"))).commented


@pytest.mark.parametrize("given", ["7", "v7.1", "latest", "7.1-preview.3", ""])
def test_what_is_no_version_is_a_mistake(box: Sandbox, given: str) -> None:
    with pytest.raises(ValueError, match="api_version"):
        settings(box, api_version=given)


def found(env: dict[str, str], *, keyring: str | None = None, az: str | None = None) -> Any:
    asked: list[str] = []

    def run(argv: tuple[str, ...]) -> str | None:
        asked.append(" ".join(argv))
        return az

    credential = find_credential(
        manifest.tokens,
        tracker="ado",
        host="dev.azure.com",
        env=env,
        keyring_get=lambda *_: keyring,
        run=run,
    )
    assert asked in ([], [AZ])
    return credential and (credential.secret, credential.scheme, credential.source)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"env": {PAT: "pat", PIPELINE: "job"}}, ("pat", Scheme.BASIC, PAT)),
        ({"env": {PIPELINE: "job"}, "az": "x"}, ("job", Scheme.BEARER, PIPELINE)),
        (
            {"env": {}, "keyring": '{"user": null, "token": "kept"}', "az": "x"},
            ("kept", Scheme.BASIC, "keyring"),
        ),
        ({"env": {}, "az": "entra\n"}, ("entra", Scheme.BEARER, "az account get-access-token")),
        ({"env": {}}, None),
    ],
)
def test_the_token_is_the_first_that_there_is(given: dict[str, Any], expected: object) -> None:
    assert found(**given) == expected
