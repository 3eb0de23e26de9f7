"""What ends the workers of a node that fell silent."""

from __future__ import annotations

import os
import shutil
import threading
from typing import TYPE_CHECKING

from unlatch.worklog.disk import system
from unlatch.worklog.ids import new_ulid
from unlatch_fleet.tasks.guard import end_all

if TYPE_CHECKING:
    from pathlib import Path


def test_a_dispatch_that_its_node_removes_meanwhile_has_ended(tmp_path: Path) -> None:
    run_id = new_ulid()
    lock = tmp_path / run_id / "leases" / "locks" / run_id
    lock.parent.mkdir(parents=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT)
    system.lock(descriptor)

    def end() -> None:
        shutil.rmtree(tmp_path / run_id)
        os.close(descriptor)

    timer = threading.Timer(0.2, end)
    timer.start()
    end_all(tmp_path, grace=5)
    timer.join()
    assert [*tmp_path.iterdir()] == []
