"""The status page: HTML that loads nothing and runs nothing."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from shlex import quote
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from unlatch.worklog.text.neutral import without_controls
from unlatch.worklog.times import duration

if TYPE_CHECKING:
    from unlatch_fleet.database.rows import RepositoryRow, Status

# The state of a repository whose units go on only after a person did something.
PERSON = "person"
# Rows of a table; `unlatch fleet status` lists all.
MOST = 500
_FOLDER = files("unlatch_fleet.serve")
_STYLE = (_FOLDER / "page.css").read_text(encoding="utf-8")
_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def render_page(status: Status) -> str:
    """The page of a moment; a browser loads it again every half minute."""
    environment = Environment(
        autoescape=True,
        finalize=_clean,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"duration": duration, "count": "{:,}".format, "quote": quote}
    template = environment.from_string((_FOLDER / "page.html").read_text(encoding="utf-8"))
    rows = sorted(status.repositories, key=lambda row: (row.waiting_since or status.at, row.state))
    persons = [row for row in rows if row.state == PERSON]
    return template.render(
        status=status,
        waits={row.repository: _wait(status, row) for row in rows},
        waiting=sum(row.waiting_since is not None for row in rows),
        working=sum(row.at_work_since is not None for row in rows),
        persons=persons,
        rows=rows,
        most=MOST,
        # A constant of ours; the policy allows this style alone.
        style=Markup(_STYLE),  # noqa: S704
    )


def _wait(status: Status, row: RepositoryRow) -> str:
    since = row.waiting_since
    return duration(max(0.0, (status.at - since).total_seconds())) if since else ""


def _clean(value: object) -> object:
    """A value of the page; HTML has no control characters."""
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return without_controls(str(value)) if is_text else value
