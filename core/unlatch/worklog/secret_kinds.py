"""Find secrets in texts that are posted or written as they are."""

from __future__ import annotations

import re

from unlatch.worklog.neutral import without_controls
from unlatch.worklog.secret_patterns import without_secrets

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


def find_secret(given: str) -> str | None:
    """The kind of secret that a text seems to hold; None if it seems to hold none."""
    text = re.sub(_NAME_ALONE, r":// \1 ", given)
    # Also as it is: the first letter of a secret can be the end of an escape sequence.
    for seen in (without_controls(text), text):
        if (masked := without_secrets(seen)) != seen:
            return _kind(seen, masked)
    return None


def _kind(text: str, masked: str) -> str:
    for kinds, more, fewer in ((_GONE, text, masked), (_LEFT, masked, text)):
        for kind, mark in kinds:
            if len(re.findall(mark, more)) > len(re.findall(mark, fewer)):
                return kind
    return _OTHER
