"""Digests are those of hashlib, which is not loaded for them."""

from __future__ import annotations

import hashlib

import pytest

from unlatch.worklog import digests


@pytest.mark.parametrize("content", [b"", b"0007-search", b"\0" * 1_000])
@pytest.mark.parametrize("module", [digests._MODULE, "missing_here"])
def test_a_digest_is_that_of_hashlib(
    content: bytes, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "_MODULE", module)

    assert hashlib.sha256(content).hexdigest() == digests.sha256(content)
