"""A working server, and what a person would do there: all that an author of a plugin writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


class Laboratory(ABC):
    """A server that works, with items that can be made and looked at past the plugin.

    Items are named by their own ids, as they stand in a link ("4", "SCRUM-28"). Everything here
    goes straight to the server and never through the plugin: it says what is really there.

    Attributes:
        tracker: the plugin's name, by which its entry point is found.
        server: the address of the server; the plugin gets that of a proxy for it.
        crowd: more comments than the plugin reads at once.
    """

    tracker: str
    server: str
    crowd: int = 120

    @abstractmethod
    def settings(self, server: str) -> Mapping[str, Any]:
        """The table `[trackers.NAME]`, with `server` wherever it holds the server's address."""

    @abstractmethod
    def environ(self) -> Mapping[str, str]:
        """The environment variables that hold the credential."""

    @abstractmethod
    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        """Make an item where the settings say that new ones go; its id.

        Args:
            labels: none for a plugin that does not declare LABELS.
        """

    @abstractmethod
    def is_open(self, item: str) -> bool:
        """Whether work on an item is still to be done."""

    @abstractmethod
    def comments(self, item: str) -> Sequence[str]:
        """The texts of its comments, in whatever markup the tracker keeps them."""

    @abstractmethod
    def say(self, item: str, texts: Sequence[str]) -> None:
        """Comment as a person, once for each text; the item's state stays."""

    def labels(self, item: str) -> Collection[str]:
        """The labels or tags of an item; needed for a plugin that declares LABELS."""
        raise NotImplementedError

    def add_label(self, item: str, label: str) -> None:
        """Label as a person; needed for a plugin that declares LABELS."""
        raise NotImplementedError

    def titled(self, title: str) -> Collection[str]:
        """The ids of the items with this title; needed for a plugin that makes items."""
        raise NotImplementedError

    def close_on_purpose(self, item: str) -> None:
        """Close it in a way that is not to be undone unasked; leave it out if there is none."""
        raise NotImplementedError

    def ignore_next(self) -> None:
        """Let the server answer the next request with success and do nothing.

        The answer shows the item as it is. Leave it out if the server cannot do that.
        """
        raise NotImplementedError
