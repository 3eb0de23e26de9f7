"""The interface for authors of tracker plugins.

`unlatch plugins new NAME` writes the skeleton of a plugin, with its tests.

A plugin is a distribution with an entry point in the group `unlatch.plugins` that names a
`Manifest`. The manifest is data and imports nothing; the settings and the plugin are loaded on
first use, so that `unlatch list` never imports an SDK.

Delivery decides about operations, their order, and repeats. A plugin reads items, turns one change
into requests, and returns the tracker's answers. It never writes files, prints, prompts, exits or
retries.

Classes to write (`help(unlatch.spi.SyncPlugin)` describes each method):
    SyncPlugin       one tracker: read, write, plan, find_comments, and optional methods
    OneWritePlugin   a SyncPlugin that reads an item, writes the differences, and reads it back;
    Wire             its requests, sent or listed
    Settings         the table `[trackers.NAME]`: addresses, and the names of items

The manifest (`help(unlatch.spi.Manifest)` describes each field, as for all that follow):
    Manifest         data about a tracker that unlatch reads before it loads the plugin
    Capability       the abilities of a plugin
    LinkShape        the keys of a tracker's links in metadata.json
    EnvToken         a token from the environment
    CommandToken     a token that the vendor's own program prints
    Scheme           the HTTP authentication scheme of a token
    Option           a flag of the commands that concerns one tracker's items
    NO_NOTIFY        the flag for fewer notifications
    VISIBILITY       the option for comments that not everybody sees
    SPI_VERSION      the version of this interface

Items:
    ItemRef          one item, with all that requests about it need
    RemoteItem       the content of an item, as the tracker describes it
    Category         the meaning of a tracker's own state
    Snapshot         an item as `read` returned it, with data of the plugin's own
    CommentRef       a comment that carries a marker
    KeptPart         the generated part of an item's body, as people left it
    Listed           an item in a list
    ItemHistory      the past of an item: its
    MarkedComment    comments with markers, and its
    StateChange      changes of state
    Background       what an item says, and
    ClosingCommit    a commit that closed it
    ItemEvent        a message about an item (webhook)

A change, and its effect:
    Change           the change to one item: state, then comment, then labels
    Goal             the state that a change brings an item to
    Draft            the text of an item, for a create or an update
    DeliveryOptions  the options of the command
    must_move        whether an item must be opened or closed to reach a goal
    Progress         the parts of a write done so far
    Outcome          the effect of a write, read from the tracker's answers
    PlannedRequest   a request that a change would send
    Examination      the rights of a credential, as `examine` finds them:
    Access           in one place,
    Remark           and a problem found on a tracker

Text:
    Text             paragraphs of spans, headings and check boxes, without markup:
    Span, Heading, Check, Checks
    plain, markdown, as_html
                     renderers for the tracker's format
    fit_text         a text without lines of its lists, if it is too long for the tracker
    from_markdown    the words of a line of Markdown, to read check boxes back
    one_line         a text on one line without control characters, such as a title
    hidden, visible  the marker of an operation as a comment of HTML, or as a readable line
    ops_in           the markers in a text
    op_posted        the marker of the operation that posted a text
    without_controls, defused
                     people's words without control characters, and without valid markers
    with_kept_part   a body with a text as the generated part of an increment
    kept_parts       the generated parts of a body
    read_checks      the check boxes in the lines of a text
    read_stamp       a time in ISO 8601, as UTC

All can be imported from here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Not in `__all__`: pydoc would append the methods that each class has from str, Enum and dataclass.
if TYPE_CHECKING:
    from unlatch.spi.body import fit_text as fit_text
    from unlatch.spi.body import kept_parts as kept_parts
    from unlatch.spi.body import read_checks as read_checks
    from unlatch.spi.body import with_kept_part as with_kept_part
    from unlatch.spi.change import Change as Change
    from unlatch.spi.change import Draft as Draft
    from unlatch.spi.change import Goal as Goal
    from unlatch.spi.change import Outcome as Outcome
    from unlatch.spi.change import Progress as Progress
    from unlatch.spi.change import must_move as must_move
    from unlatch.spi.history import Background as Background
    from unlatch.spi.history import ClosingCommit as ClosingCommit
    from unlatch.spi.history import ItemHistory as ItemHistory
    from unlatch.spi.history import MarkedComment as MarkedComment
    from unlatch.spi.history import StateChange as StateChange
    from unlatch.spi.interface import Access as Access
    from unlatch.spi.interface import Examination as Examination
    from unlatch.spi.interface import PlannedRequest as PlannedRequest
    from unlatch.spi.interface import Remark as Remark
    from unlatch.spi.interface import Settings as Settings
    from unlatch.spi.interface import SyncPlugin as SyncPlugin
    from unlatch.spi.item import CommentRef as CommentRef
    from unlatch.spi.item import ItemEvent as ItemEvent
    from unlatch.spi.item import ItemRef as ItemRef
    from unlatch.spi.item import KeptPart as KeptPart
    from unlatch.spi.item import Listed as Listed
    from unlatch.spi.item import RemoteItem as RemoteItem
    from unlatch.spi.item import Snapshot as Snapshot
    from unlatch.spi.manifest import NO_NOTIFY as NO_NOTIFY
    from unlatch.spi.manifest import SPI_VERSION as SPI_VERSION
    from unlatch.spi.manifest import VISIBILITY as VISIBILITY
    from unlatch.spi.manifest import Capability as Capability
    from unlatch.spi.manifest import CommandToken as CommandToken
    from unlatch.spi.manifest import EnvToken as EnvToken
    from unlatch.spi.manifest import LinkShape as LinkShape
    from unlatch.spi.manifest import Manifest as Manifest
    from unlatch.spi.manifest import Option as Option
    from unlatch.spi.manifest import Scheme as Scheme
    from unlatch.spi.one_write import OneWritePlugin as OneWritePlugin
    from unlatch.spi.one_write import Wire as Wire
    from unlatch.spi.operation import Category as Category
    from unlatch.spi.operation import DeliveryOptions as DeliveryOptions
    from unlatch.spi.render import as_html as as_html
    from unlatch.spi.render import from_markdown as from_markdown
    from unlatch.spi.render import markdown as markdown
    from unlatch.spi.render import plain as plain
    from unlatch.spi.text import Check as Check
    from unlatch.spi.text import Checks as Checks
    from unlatch.spi.text import Heading as Heading
    from unlatch.spi.text import Span as Span
    from unlatch.spi.text import Text as Text
    from unlatch.spi.text import defused as defused
    from unlatch.spi.text import hidden as hidden
    from unlatch.spi.text import one_line as one_line
    from unlatch.spi.text import op_posted as op_posted
    from unlatch.spi.text import ops_in as ops_in
    from unlatch.spi.text import visible as visible
    from unlatch.worklog.text.neutral import without_controls as without_controls
    from unlatch.worklog.times import read_stamp as read_stamp

# The same names by their modules, which are loaded at first use: most commands need few of them.
_NAMES = {
    "unlatch.spi.change": "Change Draft Goal Outcome Progress must_move",
    "unlatch.spi.body": "fit_text kept_parts read_checks with_kept_part",
    "unlatch.spi.history": "Background ClosingCommit ItemHistory MarkedComment StateChange",
    "unlatch.spi.interface": "Access Examination PlannedRequest Remark Settings SyncPlugin",
    "unlatch.spi.item": "CommentRef ItemEvent ItemRef KeptPart Listed RemoteItem Snapshot",
    "unlatch.spi.manifest": "SPI_VERSION Capability CommandToken EnvToken LinkShape Manifest "
    "NO_NOTIFY VISIBILITY Option Scheme",
    "unlatch.spi.one_write": "OneWritePlugin Wire",
    "unlatch.spi.operation": "Category DeliveryOptions",
    "unlatch.spi.render": "as_html from_markdown markdown plain",
    "unlatch.spi.text": "Check Checks Heading Span Text defused hidden one_line op_posted ops_in "
    "visible",
    "unlatch.worklog.text.neutral": "without_controls",
    "unlatch.worklog.times": "read_stamp",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # type checkers would accept every misspelt name

    def __getattr__(name: str) -> Any:
        """Load a name of the interface."""
        if name not in _MODULES:
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}", name=name, obj=None
            )
        loaded = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return loaded
