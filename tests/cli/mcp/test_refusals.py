"""What the tools refuse: secrets in texts of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.mcp.test_mcp import Talk, text_of

if TYPE_CHECKING:
    from tests.cli.project import Project

TOKEN = "ghp_" + "a1B2" * 9
PASSWORD = "Hunter2Zzz9"


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        (TOKEN, "a GitHub token"),
        (f"{TOKEN[:9]}\u200b{TOKEN[9:]}", "a GitHub token"),
        (f"\x1b[{TOKEN}", "a GitHub token"),
        (f"password: {PASSWORD}", "a password"),
        (f"https://ada:{PASSWORD}@example.com/x", "a password in an address"),
        (f"https://{TOKEN}@example.com/x", "a GitHub token"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc", "a private key"),
        ("api_key=" + "a1b2c3d4" * 2, "a password, token or key"),
    ],
)
def test_a_reason_with_a_secret_is_not_planned(project: Project, secret: str, kind: str) -> None:
    project.increment(links=project.items("github"))
    before = project.tree()
    talk = Talk(project)
    for tool, subject in (
        ("plan_resume", {"id": "7"}),
        ("plan_reopen", {"items": [project.urls["github"]]}),
    ):
        said = text_of(talk.call(tool, reason=f"The token {secret} expired", **subject))
        assert f"error[secret-in-text]: reason seems to hold {kind}; nothing was done" in said
        assert "next: call again with reason without it" in said
        assert secret not in said
        assert PASSWORD not in said
    assert (before, []) == (project.tree(), project.wrote())


def test_an_address_with_a_name_alone_is_no_secret(project: Project) -> None:
    project.increment(links=project.items("github"))
    reason = "Found by cloning https://acme@dev.azure.com/acme/widgets/_git/widgets"

    assert "token" in Talk(project).result("plan_resume", id="7", reason=reason)


def test_a_text_of_an_effort_with_a_secret_is_not_written(project: Project) -> None:
    talk = Talk(project, toolsets=("efforts",))
    assert "secret-in-text" in text_of(talk.call("open_effort", name=f"rotate {TOKEN}"))
    assert talk.result("effort_status")["efforts"] == []
    talk.result("open_effort", name="Auth bug")
    assert "secret-in-text" in text_of(talk.call("close_effort", id="auth-bug", summary=TOKEN))
    talk.result("close_effort", id="auth-bug", summary="Rotated the token ***.")
    assert "secret-in-text" in text_of(talk.call("reopen_effort", id="auth-bug", reason=TOKEN))
    (known,) = talk.result("effort_status")["efforts"]
    assert (known["status"], known["reopens"]) == ("concluded", [])


@pytest.mark.parametrize("text", ["a\0b", "x" * 200_000], ids=["zero byte", "long"])
def test_a_text_that_no_process_takes_is_refused_as_wrong_usage(
    project: Project, text: str
) -> None:
    project.increment(links=project.items("github"))
    talk = Talk(project, toolsets=("work", "efforts"))
    for tool, arguments in (
        ("search", {"query": text}),
        ("show_increment", {"id": text}),
        ("plan_resume", {"id": "7", "reason": text}),
        ("open_effort", {"name": text}),
    ):
        said = text_of(talk.call(tool, **arguments))
        assert "error[usage]" in said, said
        assert "unknown what was changed" not in said
    assert talk.result("effort_status")["efforts"] == []
