"""Refuse secrets in texts of a model, which are posted or written as they stand."""

from __future__ import annotations

import re

from unlatch.worklog.neutral import without_controls
from unlatch.worklog.secret_patterns import without_secrets
from unlatch_mcp.calls import CallFailed

# What the mask takes away with a secret of each kind, and then what it leaves before itself.
_GONE = (
    ("a private key", r"-----BEGIN "),
    ("a GitHub token", r"gh[a-z]_|github_pat_"),
    ("an Atlassian token", r"AT(?:ATT|CTT|BB)\w"),
    ("an Azure DevOps token", r"AZDO"),
    ("an AWS access key", r"A(?:KIA|SIA)[A-Z0-9]{16}"),
    ("a JSON Web Token", r"eyJ"),
)
_LEFT = (
    ("a password in an address", r"://\*\*\*@"),
    ("a password", r"(?i:pass\w{0,6}|pwd)\W{0,8}\*\*\*"),
)
_OTHER = "a password, token or key"
# Azure DevOps shows addresses to clone with the organization's name: https://acme@dev.azure.com.
_NAME_ALONE = r"://([A-Za-z0-9._-]{1,20})@"


def refuse_secrets(**texts: str) -> None:
    """Refuse texts that seem to hold a secret; the error never has the secret.

    Results are masked, so a person who reads a plan would not see what is posted.

    Raises:
        CallFailed: `secret-in-text`.
    """
    for name, given in texts.items():
        text = re.sub(_NAME_ALONE, r":// \1 ", given)
        # Also as it is: the first letter of a secret can be the end of an escape sequence.
        for seen in (without_controls(text), text):
            if (masked := without_secrets(seen)) != seen:
                message = f"{name} seems to hold {_kind(seen, masked)}; nothing was done"
                hint = f"call again with {name} without it"
                raise CallFailed("secret-in-text", message, hint=hint)


def _kind(text: str, masked: str) -> str:
    for kinds, more, fewer in ((_GONE, text, masked), (_LEFT, masked, text)):
        for kind, mark in kinds:
            if len(re.findall(mark, more)) > len(re.findall(mark, fewer)):
                return kind
    return _OTHER
