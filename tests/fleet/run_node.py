"""`unlatch fleet node` whose units run a program that starts faster.

python -m tests.fleet.run_node PROGRAM [OPTION]...
"""

from __future__ import annotations

import json
import sys

from unlatch.cli.main import run
from unlatch_fleet.cli import node

if __name__ == "__main__":
    setattr(node, "UNLATCH", tuple(json.loads(sys.argv[1])))  # noqa: B010  (it is imported there)
    sys.exit(run(["fleet", "node", *sys.argv[2:]]))
