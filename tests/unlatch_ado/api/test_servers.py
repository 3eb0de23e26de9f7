"""Where requests go, with which token, and in which version of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_ado.making import (
    OP,
    creating,
    day_ago,
    plugin_for,
    ref,
    settings,
    words,
    write_change,
)

from unlatch.errors import Rejected, UnlatchError
from unlatch.spi import Change, Scheme
from unlatch.transport.credentials import find_credential
from unlatch.transport.trust import check_origin
from unlatch_ado import manifest
from unlatch_ado.settings import AdoSettings
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_sandbox import Sandbox

PAT, PIPELINE = "AZURE_DEVOPS_EXT_PAT", "SYSTEM_ACCESSTOKEN"
AZ = (
    "az account get-access-token --resource 499b84ac-1321-427f-aa17-267ca6975798 "
    "--query accessToken --output tsv"
)


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


@pytest.mark.parametrize(
    "url",
    ["https://dev.azure.com/fabrikam", "https://fabrikam.visualstudio.com/DefaultCollection"],
)
def test_the_vendors_hosts_get_the_token(url: str) -> None:
    check_origin(url, hosts=manifest.hosts, env={}, host_env=manifest.host_env)


def test_a_server_of_ones_own_gets_it_where_the_pipeline_says_so() -> None:
    url = "https://tfs.example/tfs/DefaultCollection"
    with pytest.raises(UnlatchError, match="host-not-trusted:"):
        check_origin(url, hosts=manifest.hosts, env={}, host_env=manifest.host_env)
    env = {"SYSTEM_COLLECTIONURI": "https://tfs.example/tfs/DefaultCollection/"}
    check_origin(url, hosts=manifest.hosts, env=env, host_env=manifest.host_env)


def test_both_names_of_an_organization_are_one_place() -> None:
    old = AdoSettings.model_validate(
        {"organization_url": "https://fabrikam.visualstudio.com", "project": "widgets"}
    )
    item = old.recognise("https://dev.azure.com/fabrikam/widgets/_workitems/edit/101")
    assert item is not None
    assert old.allows(item)


def test_a_server_too_old_for_a_call_is_said_to_be(box: Sandbox) -> None:
    from_server = [r for r in _routes() if r["resourceName"] != "workItemsBatch"]
    body = {"count": len(from_server), "value": from_server}
    box.faults.add(Fault("ado", "status", method="OPTIONS", code=200, body=body))
    with pytest.raises(Rejected, match="call-not-offered:"):
        plugin_for(box).read_many([ref(box, 1)])


def _routes() -> list[dict[str, Any]]:
    from unlatch_sandbox.ado.discovery import resource_locations  # noqa: PLC0415

    return resource_locations("7.2")
