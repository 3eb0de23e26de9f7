"""The harness of a plugin's tests: a working server, and a person's actions there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


class Harness(ABC):
    """A working server, with items that are made and read without the plugin.

    Items are named by their ids, as in a link ("4", "SCRUM-28"). All methods use the server
    directly, because the tests compare the plugin with it.

    Attributes:
        tracker: the plugin's name, by which its entry point is found.
        server: the address of the server; the plugin gets the address of a proxy for it.
        many_comments: more comments than the plugin reads at once.
        many_items: more items than the plugin reads or lists at once.
        missing: the id of an item that does not exist.
        abandons_deliberately: whether this server has a state for abandoned work, which is that of
            `close_deliberately`.
    """

    tracker: str
    server: str
    many_comments: int = 120
    many_items: int = 120
    missing: str = "987654321"
    abandons_deliberately: bool = True

    @abstractmethod
    def settings(self, server: str) -> Mapping[str, Any]:
        """The table `[trackers.NAME]`, with `server` as the server's address."""

    def elsewhere(self, server: str) -> str:
        """The web address of an item in a place that `settings(server)` does not name; optional.

        Another place on the same host, where the tracker has several: another repository or
        project. The item need not exist.
        """
        raise NotImplementedError

    @abstractmethod
    def environ(self) -> Mapping[str, str]:
        """The environment variables that hold the credential."""

    @abstractmethod
    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        """Make an item in the configured target; returns its id.

        Args:
            labels: of "reopened", "completed", "kept" and "mine"; none for a plugin that does not
                declare LABELS.
        """

    @abstractmethod
    def is_open(self, item: str) -> bool:
        """Whether an item is open."""

    @abstractmethod
    def comments(self, item: str) -> Sequence[str]:
        """The texts of its comments, in the tracker's markup."""

    @abstractmethod
    def add_comments(self, item: str, texts: Sequence[str]) -> None:
        """Add comments as a person, without changing the item's state."""

    def add_comment_of_a_stranger(self, item: str, text: str) -> None:
        """Add a comment of a person who may comment and cannot change items; optional.

        For trackers on which everybody may comment.
        """
        raise NotImplementedError

    def add_item_of_a_stranger(self, title: str, body: str) -> str:
        """Make an item as a person who may make items and cannot change others'; optional.

        For trackers on which everybody may make items. Returns its id.
        """
        raise NotImplementedError

    def add_comment_of_a_member(self, item: str, text: str) -> None:
        """Add a comment of another person who may change items; optional."""
        raise NotImplementedError

    def add_restricted_comment(self, item: str, text: str) -> None:
        """Add a comment of another person that not everybody may see; optional.

        For a plugin that declares RETRACT.
        """
        raise NotImplementedError

    def edit_comments(self, item: str, old: str, new: str) -> None:
        """Replace a word in its comments, as a person; optional.

        For trackers where comments can be edited.
        """
        raise NotImplementedError

    def assign(self, item: str) -> str:
        """Assign it to a person who is not that of `environ`; optional.

        Returns the person's name as the tracker shows it for an assignee.
        """
        raise NotImplementedError

    def close_as_a_person(self, item: str) -> str:
        """Close it as a person who is not that of `environ`; optional.

        For trackers that show who changed a state. Returns the person's name as shown there.
        """
        raise NotImplementedError

    def read_only_environ(self) -> Mapping[str, str]:
        """The variables of a credential that may read items and not change them; optional.

        Its account may have the rights that everybody has, such as to comment.
        """
        raise NotImplementedError

    def labels(self, item: str) -> Collection[str]:
        """The labels or tags of an item; required for LABELS."""
        raise NotImplementedError

    def add_label(self, item: str, label: str) -> None:
        """Add a label as a person; required for LABELS."""
        raise NotImplementedError

    def find_by_title(self, title: str) -> Collection[str]:
        """The ids of the items with this title; required for CREATE."""
        raise NotImplementedError

    def body(self, item: str) -> str:
        """The text of its body, without or with markup; required for CREATE and UPDATE."""
        raise NotImplementedError

    def write_around_body(self, item: str, before: str, after: str) -> None:
        """Write a paragraph before its body and one after it, as a person; required for UPDATE."""
        raise NotImplementedError

    def mentioned(self, item: str) -> Collection[str]:
        """The names of people whom its comments notify; optional.

        For trackers that read @names from text.
        """
        raise NotImplementedError

    def tick(self, item: str, words: str) -> None:
        """Tick the check box in front of these words in its body, as a person; optional.

        Required for a plugin that reads check boxes (`RemoteItem.kept`).
        """
        raise NotImplementedError

    def close_deliberately(self, item: str) -> None:
        """Close it in a way that must not be undone unasked; optional."""
        raise NotImplementedError

    def ignore_next(self) -> None:
        """Let the server answer the next request with success and the unchanged item; optional."""
        raise NotImplementedError
