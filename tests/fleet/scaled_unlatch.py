"""unlatch with GitHub's published limits in scaled time.

    python scaled_unlatch.py SCALE FEWER ...

The limit of an hour has 1 / FEWER of its requests. The pause before a unit's next try, where a
tracker names no time, is 1 / SCALE, too.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from unlatch.cli.__main__ import main
from unlatch.cli.render import delivery_documents
from unlatch_github import plugin


def _scale(factor: float, fewer: int) -> None:
    pace = plugin._PACE
    (short, minute), (long, hour) = pace.limits
    limits = (short, minute / factor), (long // fewer, hour / factor)
    plugin._PACE = replace(pace, limits=limits, apart=pace.apart / factor)
    delivery_documents._UNNAMED_RETRY /= factor


if __name__ == "__main__":
    _scale(float(sys.argv.pop(1)), int(sys.argv.pop(1)))
    main()
