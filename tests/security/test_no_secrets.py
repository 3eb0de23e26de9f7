"""No file of the repository holds a credential: fixtures, recorded answers, documentation, code."""

import os
from functools import cache
from pathlib import Path

import pytest
from tests.security.secrets_scan import PATTERNS, found_secrets

ROOT = Path(__file__).parents[2]
# Made by installing, building and testing; none of it is in git.
MADE = {"__pycache__", "node_modules", "dist", "build", "site"}
# What looks like a credential and is none.
KNOWN = {
    "ATATT3xFfGF0abcdefghij_klm=1A2B": "made up for the test of redaction",
    "AZSCKtL4U8yX1H3sCQIVnVgmjmon5fWxks5YrqhJgah0b2tlbl9pZM4EuMz4": (
        "GitHub's own example of a single sign-on address"
    ),
}


def files() -> list[Path]:
    found = []
    for folder, names, leaves in os.walk(ROOT):
        names[:] = [name for name in names if name not in MADE and not _is_hidden(name)]
        found += [Path(folder, leaf) for leaf in leaves if not _is_hidden(leaf)]
    return sorted(found)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name.endswith(".egg-info")


def test_no_file_holds_a_credential() -> None:
    looking = {
        str(path.relative_to(ROOT)): found
        for path in files()
        if (found := [one for one in _found(path) if one[1] not in KNOWN])
    }

    assert {} == looking


@cache
def _found(path: Path) -> list[tuple[str, str]]:
    return found_secrets(path.read_text(encoding="utf-8", errors="replace"))


# Put together here, so that this file holds none.
PLANTED = {
    "GitHub token": "gh" + "p_" + "aB3" * 12,
    "GitHub fine-grained token": "github" + "_pat_" + "11ABCDEFG0" * 2 + "xY_" + "z9" * 29 + "Z",
    "Azure DevOps token": "aB3d" * 19 + "AZ" + "DO" + "1x2Y",
    "older Azure DevOps token": "abcdefghijklmnopqrstuvwxyz" + "234567" * 4 + "ab",
    "Atlassian token": "ATA" + "TT3" + "xFfGF0" * 5,
    "Jira Data Center token": "N" + ("zY4aB3+/cD5" * 4)[:43],
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + "MIIEpAIB" * 6,
    "JSON web token": "ey" + "Jhbgciojib1." + "ey" + "Jzdwiioixx2.abcdefghijkl",
    "AWS key": "AK" + "IA" + "ABCDEFGH12345678",
    "random text": "q7Xk29fBz0Lm" + "4Wt8Rv1Np6Ys3Hd5Gc",
}


@pytest.mark.parametrize("kind", [*PATTERNS, "private key", "random text"])
def test_a_credential_would_be_found(kind: str) -> None:
    secret = PLANTED[kind]

    found = found_secrets(f'{{"token": "{secret}", "note": "words"}}')

    assert [kind] == [what for what, _ in found]


@pytest.mark.parametrize(
    "text",
    [
        "test_a_command_starts_only_the_programs_that_it_declares_2026_11_22",
        "op=01K97A3M5T0Q8V6ZC2R4XJ1BNE",
        "bb50f182-8e5e-40b8-bc21-e8752a1e7ae2",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_names_ids_and_digests_are_no_credentials(text: str) -> None:
    assert [] == found_secrets(text)
