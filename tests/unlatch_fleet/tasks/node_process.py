"""A node that works on tasks, as a process of its own: python -m tests....node_process SETTINGS.

SETTINGS is a JSON object: address, name, folder, lease, offer.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

from unlatch_fleet.database.connect import Line
from unlatch_fleet.offer import Offer
from unlatch_fleet.tasks.node import TaskNode, TaskSettings
from unlatch_runs.dispatch.worker import Limits


def main(given: str) -> None:
    raw = json.loads(given)
    settings = TaskSettings(
        name=raw["name"],
        folder=Path(raw["folder"]),
        offer=Offer.model_validate_json(json.dumps(raw["offer"])),
        credentials=lambda _: [("protocol.file.allow", "always")],
        environ=os.environ,
        lease=raw["lease"],
        limits=Limits(settle=1.0, grace=0.2),
        look=0.05,
    )
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    node = TaskNode(Line(raw["address"]), settings, say)
    node.run(stopping)


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main(sys.argv[1])
