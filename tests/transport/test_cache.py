"""The cache of plugins between runs."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from unlatch.transport import read_cache, write_cache

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write_cache(file, {"n": 1})
    write_cache(file, {"n": 2})

    assert {"n": 2} == read_cache(file)
    assert [file] == list(tmp_path.iterdir())
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"null"])
def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(content)

    assert {} == read_cache(file)


def test_a_folder_that_takes_nothing_is_no_reason_to_fail(tmp_path: Path) -> None:
    file = tmp_path / "missing" / "a.json"
    write_cache(file, {"n": 1})

    assert {} == read_cache(file)
