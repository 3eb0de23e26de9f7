"""Scoped tokens: requests go through the gateway, under the id that the site tells."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import responses
from tests.unlatch_jira.making import (
    CREATE,
    done_issue,
    draft,
    settings_for,
)

from unlatch.errors import Rejected
from unlatch.spi import ItemRef, Scheme
from unlatch.transport import for_tests
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.settings import JiraSettings
from unlatch_sandbox import Fault, Sandbox

CLOUD = "https://acme.atlassian.net"
GATE = "https://api.atlassian.com"
ID = "11111111-2222-4333-8444-555555555555"


def gateway_settings(box: Sandbox, **more: Any) -> JiraSettings:
    return settings_for(box, **{"gateway": True, "gateway_url": box.jira.site, **more})


def through(box: Sandbox, cache: Path | None = None, **more: Any) -> JiraPlugin:
    settings = gateway_settings(box, **more)
    transport = for_tests(
        "jira",
        settings.base_url,
        token=box.jira.scoped_token,
        user=box.jira.email,
        scheme=Scheme.BASIC,
        cache=cache,
    )
    return JiraPlugin(settings, transport)


def ref_of(box: Sandbox, key: str) -> ItemRef:
    return gateway_settings(box).ref(key)


def paths(box: Sandbox) -> list[str]:
    return [entry.path for entry in box.requests.entries("jira")]


def test_the_id_is_asked_for_once_and_kept(box: Sandbox, tmp_path: Path) -> None:
    key = done_issue(box)
    through(box, tmp_path).read(ref_of(box, key))
    box.requests.clear()

    later = through(box, tmp_path)
    later.read(ref_of(box, key))

    assert paths(box) == [f"/ex/jira/{ID}/rest/api/3/issue/{key}"]
    planned = later.plan(None, replace(CREATE, draft=draft()))
    assert planned[0].url == f"{box.jira.site}/ex/jira/{ID}/rest/api/3/issue"


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("torn", ["", "{", "[]", '{"id": 7}', '{"id": "../../evil/x?y"}'])
def test_what_was_kept_and_cannot_be_read_is_asked_for_again(
    box: Sandbox, tmp_path: Path, torn: str
) -> None:
    key = done_issue(box)
    through(box, tmp_path).read(ref_of(box, key))
    [kept] = tmp_path.glob("cloud-*.json")
    kept.write_text(torn, encoding="utf-8")
    box.requests.clear()

    through(box, tmp_path).read(ref_of(box, key))

    assert paths(box)[0] == "/_edge/tenant_info"


@pytest.mark.parametrize(
    "answer", [{"body": {}}, {"body": {"cloudId": "x/../../y"}}, {"body": "<p>Hello</p>"}]
)
def test_a_site_that_does_not_tell_its_id_is_told(box: Sandbox, answer: dict[str, Any]) -> None:
    box.faults.add(Fault("jira", "status", path="tenant_info", code=200, **answer))

    with pytest.raises(Rejected, match="cloud-id-unknown:") as caught:
        through(box).read(ref_of(box, "SCRUM-1"))

    assert "cloud_id" in (caught.value.hint or "")


def test_the_token_goes_to_the_gateway_and_not_to_the_site() -> None:
    settings = JiraSettings(site=CLOUD, project="SCRUM", gateway=True)
    transport = for_tests("jira", settings.base_url, token="t", user="me", scheme=Scheme.BASIC)
    with responses.RequestsMock() as wire:
        wire.get(f"{CLOUD}/_edge/tenant_info", json={"cloudId": ID})
        shown = {"summary": "x", "status": {"name": "y"}}
        answer = {"id": "1", "key": "SCRUM-28", "fields": shown}
        wire.get(f"{GATE}/ex/jira/{ID}/rest/api/3/issue/SCRUM-28", json=answer)

        JiraPlugin(settings, transport).read(settings.ref("SCRUM-28"))

        assert ["Authorization" in call.request.headers for call in wire.calls] == [False, True]
