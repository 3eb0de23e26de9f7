"""What the tools refuse: secrets in texts of a model."""

from typing import Any

import pytest
from tests.cli.mcp.test_mcp import Talk
from tests.cli.project import Project

TOKEN = "ghp_" + "a1B2" * 9
PASSWORD = "Hunter2Zzz9"


SECRETS = {
    TOKEN: "a GitHub token",
    f"{TOKEN[:9]}\u200b{TOKEN[9:]}": "a GitHub token",
    f"\x1b[{TOKEN}": "a GitHub token",
    f"password: {PASSWORD}": "a password",
    f"https://ada:{PASSWORD}@example.com/x": "a password in an address",
    f"https://{TOKEN}@example.com/x": "a GitHub token",
    "-----BEGIN RSA PRIVATE KEY-----\nabc": "a private key",
    "api_key=" + "a1b2c3d4" * 2: "a password, token or key",
}


def test_a_reason_with_a_secret_is_not_planned(project: Project) -> None:
    project.increment(links=project.items("github"))
    before, talk = project.tree(), Talk(project)
    items = [project.urls["github"]]
    for number, (secret, kind) in enumerate(SECRETS.items()):
        subject: dict[str, Any] = {"items": items} if number else {"id": "7"}
        tool = "plan_reopen" if number else "plan_resume"
        said = talk.error(tool, reason=f"The token {secret} expired", **subject)
        assert f"error[secret-in-text]: reason seems to hold {kind}; nothing was done" in said
        assert "next: call again with reason without it" in said
        assert (secret in said, PASSWORD in said) == (False, False), secret
    assert (before, []) == (project.tree(), project.wrote())

    # An address with a name alone is no secret.
    reason = "Found by cloning https://acme@dev.azure.com/acme/widgets/_git/widgets"
    assert "token" in talk.result("plan_resume", id="7", reason=reason)


def test_a_text_of_an_effort_with_a_secret_is_not_written(project: Project) -> None:
    talk = Talk(project, toolsets=("efforts",))
    assert "secret-in-text" in talk.error("open_effort", name=f"rotate {TOKEN}")
    assert talk.result("effort_status")["efforts"] == []
    talk.result("open_effort", name="Auth bug")
    assert "secret-in-text" in talk.error("close_effort", id="auth-bug", summary=TOKEN)
    talk.result("close_effort", id="auth-bug", summary="Rotated the token ***.")
    assert "secret-in-text" in talk.error("reopen_effort", id="auth-bug", reason=TOKEN)
    (known,) = talk.result("effort_status")["efforts"]
    assert (known["status"], known["reopens"]) == ("concluded", [])


@pytest.mark.parametrize(
    "text",
    ["a\0b", pytest.param("x" * 200_000, marks=pytest.mark.sweep)],
    ids=["zero byte", "long"],
)
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
        said = talk.error(tool, **arguments)
        assert "error[usage]" in said, said
        assert "unknown what was changed" not in said
    assert talk.result("effort_status")["efforts"] == []
