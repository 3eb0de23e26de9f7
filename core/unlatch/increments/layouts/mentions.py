"""The items that people name in documents, by address, name or key."""

import re
from collections.abc import Iterable, Iterator

from unlatch.worklog.text.markdown_lines import scan

_URL = r"https?://[^\s<>()\[\]\"'`|]{1,1000}"
_MENTION = re.compile(
    rf"\[[^\[\]]{{0,200}}\]\((?P<target>{_URL})\)|(?P<url>{_URL})"
    r"|(?<![\w&#/.-])(?P<name>(?:[A-Za-z0-9-]{1,39}/[\w.-]{1,100})?#[0-9]{1,9})(?![\w-])"
    r"|(?<![\w-])(?P<key>[A-Z][A-Z0-9_]{1,15}-[0-9]{1,9})(?![\w-])"
)
# An issue of GitHub, a work item of Azure DevOps, an issue of Jira.
_ITEM = re.compile(
    r"https?://[^/]+/(?:[^/]+/[^/]+/issues/[0-9]+|.+/_workitems/edit/[0-9]+"
    r"|(?:.+/)?browse/[A-Z][A-Z0-9_]+-[0-9]+)(?=[/?#.,;:!]|\Z)"
)
# Before a key, for UTF-8 and FR-001 are no items.
_KIND = re.compile(r"\b(?:jira|issue|ticket|story|bug|epic)\b", re.IGNORECASE)


def mentions(texts: Iterable[str]) -> tuple[str, ...]:
    """The addresses, names (`#7`, `octo/widgets#7`) and keys (`SCRUM-7`), each once, in order.

    A key counts behind a word like "issue" on its line. Code and comments do not count.
    """
    lines = (line.text for text in texts for line in scan(text).lines)
    return tuple(dict.fromkeys(mention for line in lines for mention in _in_line(line)))


def _in_line(line: str) -> Iterator[str]:
    kind = _KIND.search(line)
    for match in _MENTION.finditer(line):
        url = match["target"] or match["url"]
        if url and (item := _ITEM.match(url)):
            yield item[0]
        elif match["name"] or (match["key"] and kind and kind.end() <= match.start()):
            yield match[0]
