"""The options that every command has, given before its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Globals:
    """Options that every command has, given before the command's name."""

    root: Path | None = None
    debug: bool = False
    max_wait: float = 60.0
    trace_http: Path | None = None
