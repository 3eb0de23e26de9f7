"""The interface for authors of tracker plugins: manifest, settings, items, changes, rendering.

A plugin is a distribution with an entry point in the group `unlatch.plugins` that names a
`Manifest`. The manifest is data and imports nothing; the settings and the plugin are loaded on
first use, so that `unlatch list` never imports an SDK.

Delivery decides about operations, their order, and repeats. A plugin reads items, turns one change
into requests, and returns the tracker's answers. It never writes files, prints, prompts, exits or
retries.
"""

from unlatch.spi.interface import Access, Examination, PlannedRequest, Remark, Settings, SyncPlugin
from unlatch.spi.item import Category, CommentRef, ItemEvent, ItemRef, Listed, RemoteItem, Snapshot
from unlatch.spi.manifest import (
    SPI_VERSION,
    Capability,
    CommandToken,
    EnvToken,
    LinkShape,
    Manifest,
    Option,
    Scheme,
)
from unlatch.spi.operation import Change, DeliveryOptions, Draft, Goal, Outcome, Progress, must_move
from unlatch.spi.render import adf, as_html, markdown, plain, wiki
from unlatch.spi.text import Check, Checks, Heading, Span, Text, hidden, op_posted, ops_in, visible
from unlatch.worklog.times import read_stamp

__all__ = [
    "SPI_VERSION",
    "Access",
    "Capability",
    "Category",
    "Change",
    "Check",
    "Checks",
    "CommandToken",
    "CommentRef",
    "DeliveryOptions",
    "Draft",
    "EnvToken",
    "Examination",
    "Goal",
    "Heading",
    "ItemEvent",
    "ItemRef",
    "LinkShape",
    "Listed",
    "Manifest",
    "Option",
    "Outcome",
    "PlannedRequest",
    "Progress",
    "Remark",
    "RemoteItem",
    "Scheme",
    "Settings",
    "Snapshot",
    "Span",
    "SyncPlugin",
    "Text",
    "adf",
    "as_html",
    "hidden",
    "markdown",
    "must_move",
    "op_posted",
    "ops_in",
    "plain",
    "read_stamp",
    "visible",
    "wiki",
]
