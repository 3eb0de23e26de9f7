"""Refuse secrets in texts of a model, which are posted or written as they stand."""

from __future__ import annotations

from unlatch.worklog.text.secrets import find_secret
from unlatch_mcp.calls import CallFailed


def refuse_secrets(**texts: str) -> None:
    """Refuse texts that seem to hold a secret; the error never has the secret.

    Results are masked, so a person who reads a plan would not see what is posted.

    Raises:
        CallFailed: `secret-in-text`.
    """
    for name, given in texts.items():
        if kind := find_secret(given):
            message = f"{name} seems to hold {kind}; nothing was done"
            raise CallFailed("secret-in-text", message, hint=f"call again with {name} without it")
