"""Home folders with the transcripts that tests/coding_agents/record.py recorded."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

_RECORDED = Path(__file__).parent / "recorded"


def recorded(agent: str, home: Path) -> Path:
    """Copy the files of an agent into a home folder; a database is made from its text."""
    (source,) = _RECORDED.glob(f"{agent}-*")
    shutil.copytree(source, home, dirs_exist_ok=True)
    for text in home.rglob("*.sql"):
        with closing(sqlite3.connect(text.with_suffix(".db"))) as database:
            database.executescript(text.read_text(encoding="utf-8"))
    return home
