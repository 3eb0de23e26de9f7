"""unlatch with GitHub's published limits in scaled time: `python scaled_unlatch.py SCALE ...`."""

from __future__ import annotations

import sys
from dataclasses import replace

from unlatch.cli.__main__ import main
from unlatch_github import plugin


def _scale(factor: float) -> None:
    pace = plugin._PACE
    limits = tuple((count, seconds / factor) for count, seconds in pace.limits)
    plugin._PACE = replace(pace, limits=limits, apart=pace.apart / factor)


if __name__ == "__main__":
    _scale(float(sys.argv.pop(1)))
    main()
