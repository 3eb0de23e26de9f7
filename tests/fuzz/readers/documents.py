"""Front matter, and the Markdown of sessions."""

from dataclasses import replace
from typing import Any

from tests.fuzz.target import Target, text_of

from unlatch.errors import StoreError
from unlatch.increments.documents import front_matter
from unlatch_sessions.document import Document, read_document
from unlatch_sessions.front_matter import with_values

_STATUS = "ready_for_review"
_FRONT_MATTER = (
    "---\ntitle: Search\nstatus: completed # done\ngithub:\n  issue: 5\n---\n# Search\n",
    "\ufeff---\r\nstatus: 'active'\r\ntitle: \"a \\u00e9\"\r\n...\r\ntext\r\n",
    "---\ntitle: >\n  Folded\n  title\nstatus:\nlist: [a, {b: c}]\n---\n",
    "# Only a heading #\n",
)
_SESSION = """---
type: session
session_id: s
started: 2026-11-22T10:00:00Z
ended: null
status: active
channel: dev
participants:
  - coder@1.2
tokens_used: 100
resume_point: Research
subagents:
  - {session_id: t, status: completed}
---

# Login

## Research @coder@1.2 #dev

*2026-11-22T10:00:00Z*

**Tool calls:**
- `Read a.py` \u2192 12 lines

> [!decision] Use a queue
> It is simple.

```json tasks
[{"content": "Write", "status": "completed"}]
```
"""


def _read_front_matter(data: bytes) -> dict[str, Any] | None:
    text = text_of(data)
    front_matter.title(text)
    front_matter.title_in_head(text[: len(text) // 2], str)
    changed = front_matter.with_status(text, _STATUS)
    assert front_matter.status(changed) in (_STATUS, None)
    assert front_matter.with_status(changed, _STATUS) == changed
    return front_matter.values(text) or None


def _read_session(data: bytes) -> Document | None:
    try:
        document = read_document(text_of(data))
    except StoreError:
        return None
    meta = document.session.meta
    try:
        text = with_values(document.text, {"channel": "a: #b"})
    except StoreError:  # it is there twice
        return document
    assert read_document(text).session.meta == replace(meta, channel="a: #b")
    return document


TARGETS = {
    "front-matter": Target(
        _read_front_matter,
        lambda: [text.encode() for text in _FRONT_MATTER],
        lambda values: values is not None and len(values) > 3,
    ),
    "session": Target(
        _read_session,
        lambda: [_SESSION.encode(), _SESSION.replace("\n", "\r\n").encode()],
        lambda document: document is not None and len(document.session.phases) > 2,
    ),
}
