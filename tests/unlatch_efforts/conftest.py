from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest
from tests.unlatch_efforts.script import Talk

from unlatch.worklog.ids import new_ulid
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import Author

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def author() -> Author:
    """An author whose clock goes on by a minute each time that it is read."""
    minutes = count()
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return Author("ada", lambda: start + timedelta(minutes=next(minutes)), new_ulid)


@pytest.fixture
def store(tmp_path: Path, author: Author) -> EffortStore:
    (tmp_path / ".unlatch").mkdir()
    return EffortStore(tmp_path / ".unlatch" / "efforts", author)


@pytest.fixture
def talk(store: EffortStore) -> Talk:
    return Talk(store)
