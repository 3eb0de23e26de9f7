"""The Atlassian Document Format, as far as text goes there and back."""

from __future__ import annotations

from typing import Any

_BLOCKS = ("paragraph", "heading", "codeBlock", "listItem", "tableRow", "blockquote")


def is_document(body: Any) -> bool:
    return (
        isinstance(body, dict)
        and body.get("type") == "doc"
        and body.get("version") == 1
        and isinstance(body.get("content"), list)
    )


def from_text(text: str) -> dict[str, Any]:
    paragraphs = [_paragraph(block) for block in text.split("\n\n")]
    return {"type": "doc", "version": 1, "content": paragraphs}


def _paragraph(block: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for line in block.split("\n"):
        if content:
            content.append({"type": "hardBreak"})
        if line:
            content.append({"type": "text", "text": line})
    return {"type": "paragraph", "content": content}


def to_text(body: Any) -> str:
    if body is None or isinstance(body, str):
        return body or ""
    return _text(body).strip("\n")


def _text(node: dict[str, Any]) -> str:
    kind = node.get("type")
    if kind == "text":
        return str(node.get("text", ""))
    if kind == "hardBreak":
        return "\n"
    if kind == "mention":
        return str(node.get("attrs", {}).get("text", ""))
    inner = "".join(_text(child) for child in node.get("content", []))
    return inner + "\n\n" if kind in _BLOCKS else inner
