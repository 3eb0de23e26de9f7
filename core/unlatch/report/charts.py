"""Charts as inline SVG without scripts, styles and addresses; the page's own style colours them."""

from __future__ import annotations

import sys
from math import ceil
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pygal
from pygal.style import Style

from unlatch.worklog.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WIDTH, _ROW, _FRAME, _TALL = 520, 34, 70, 260
_LONGEST_LABEL = 22
# Labels and numbers of more columns would overlap.
_MOST_LABELS, _MOST_VALUES = 7, 18
# Parts of an axis.
_MOST_STEPS = 5
# As in the page's style: pygal leaves room for it.
_FONT = 13
# pygal leaves a finder for its maps behind, which warns about each later import.
sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, pygal.PluginImportFixer)]

# Nothing but shapes and labels is kept: pygal adds its style, and tooltips that need its script.
_DROPPED = ("defs", "desc", "title")
_KEPT = frozenset({"viewBox", "class", "d", "x", "y", "width", "height", "transform"})
_KEPT_OF_TEXT = _KEPT | {"text-anchor"}


def columns(counts: Mapping[str, int], *, label: str) -> str:
    """Vertical bars, for months."""
    step = -(-len(counts) // _MOST_LABELS)
    options = _options(_TALL) | {"print_values": len(counts) <= _MOST_VALUES}
    chart = pygal.Bar(**options, show_minor_x_labels=False)
    chart.x_labels = list(counts)
    chart.x_labels_major = list(counts)[::step]
    chart.y_labels = _whole(counts.values())
    chart.add("", list(counts.values()))
    return _drawn(chart, label)


def bars(values: Mapping[str, float], *, label: str, unit: str = "") -> str:
    """Horizontal bars, the first on top."""
    options = _options(_FRAME + _ROW * len(values))
    chart = pygal.HorizontalBar(**options | {"value_formatter": lambda value: f"{value:,g}{unit}"})
    # The first is the lowest there.
    chart.x_labels = [_short(name) for name in values][::-1]
    chart.y_labels = _whole(values.values())
    chart.add("", list(values.values())[::-1])
    return _drawn(chart, label)


def _whole(counts: Iterable[float]) -> list[int]:
    """The numbers on an axis of counts, at most six: 0, 1, 2, or 0, 20, 40."""
    most = max(1, *map(ceil, counts))
    wanted = -(-most // _MOST_STEPS)
    power = 10 ** (len(str(wanted)) - 1)
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= wanted)
    return [*range(0, most + step, step)]


def _options(height: int) -> dict[str, Any]:
    return {
        "width": _WIDTH,
        "height": height,
        "js": [],
        "show_legend": False,
        "print_values": True,
        "print_values_position": "top",
        "min_scale": 1,
        "include_x_axis": True,
        "value_formatter": lambda value: f"{value:,g}",
        "margin": 8,
        "margin_right": 16,
        "truncate_label": -1,
        "style": Style(label_font_size=_FONT, major_label_font_size=_FONT, value_font_size=_FONT),
    }


def _short(name: str) -> str:
    name = without_controls(name)
    return name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"


def _drawn(chart: Any, label: str) -> str:
    root = chart.render_tree()
    _strip(root)
    root.set("role", "img")
    root.set("aria-label", label)
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)


def _strip(node: ET.Element) -> None:
    allowed = _KEPT_OF_TEXT if node.tag == "text" else _KEPT
    for name in [one for one in node.attrib if one not in allowed]:
        del node.attrib[name]
    for child in list(node):
        is_overlay = "tooltip-overlay" in child.get("class", "")
        # A comment's tag is a function.
        if not isinstance(child.tag, str) or child.tag in _DROPPED or is_overlay:
            node.remove(child)
        else:
            _strip(child)
