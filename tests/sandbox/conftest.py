from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
import requests

if TYPE_CHECKING:
    from unlatch_sandbox import Sandbox

Call = Callable[..., requests.Response]


def _caller(base: str, **common: Any) -> Call:
    def call(method: str, path: str, **own: Any) -> requests.Response:
        headers = {**common.get("headers", {}), **own.pop("headers", {})}
        rest = {key: value for key, value in common.items() if key != "headers"}
        arguments = {"timeout": 10, "allow_redirects": False, **rest, **own}
        return requests.request(method, base + path, headers=headers, **arguments)

    return call


@pytest.fixture
def github(box: Sandbox) -> Call:
    """Calls below /api/v3 with the token."""
    headers = {"Authorization": f"Bearer {box.github.token}"}
    return _caller(box.github.api_url, headers=headers)


@pytest.fixture
def ado(box: Sandbox) -> Call:
    """Calls below the organization with the token; a JSON body to a work item is a patch."""
    return _caller(
        box.ado.organization_url,
        auth=("", box.ado.token),
        headers={"Accept": "application/json;api-version=7.1-preview.4"},
    )


@pytest.fixture
def patch(ado: Call) -> Call:
    """Sends a JSON Patch document to a work item."""

    def send(path: str, *steps: tuple[str, str, object], **own: Any) -> requests.Response:
        document = [{"op": op, "path": where, "value": value} for op, where, value in steps]
        headers = {"Content-Type": "application/json-patch+json"}
        method = "POST" if "$" in path else "PATCH"
        return ado(method, path, json=document, headers=headers, **own)

    return send


@pytest.fixture
def jira(box: Sandbox) -> Call:
    """Calls below /rest/api on Cloud."""
    admin = box.jira
    return _caller(f"{admin.site}/rest/api", auth=(admin.email, admin.token))


@pytest.fixture
def server(box: Sandbox) -> Call:
    """Calls below /rest/api of the same site run as a Server, with its classic project OPS."""
    admin = box.jira
    admin.add_project("OPS", workflow="classic", deployment="Server")
    return _caller(f"{admin.site}/rest/api", headers={"Authorization": f"Bearer {admin.pat}"})


@pytest.fixture
def console(box: Sandbox) -> Call:
    return _caller(box.console_url)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the answers of the sandbox that the official descriptions do not cover."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "not-checked":
                terminalreporter.section(f"not described officially: {report.nodeid}")
                terminalreporter.write_line(str(value))
