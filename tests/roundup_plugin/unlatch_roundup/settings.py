"""The settings in `[trackers.roundup]`."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from unlatch.errors import ConfigError
from unlatch.spi import Category, Goal, ItemRef

_ISSUE = re.compile(r"/issue([1-9][0-9]*)/?")


def _address(raw: str) -> str:
    parts = urlsplit(raw)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("it must begin with https:// and a host, and hold no password")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


class RoundupSettings(BaseModel):
    """One tracker, and the meaning of its statuses."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    url: Annotated[str, AfterValidator(_address)] = Field(
        description="the tracker's address in a browser, such as https://bugs.example.org/tracker"
    )
    user: str = Field(description="the login name that messages are posted as")
    reopened: str = Field("chatting", description="the status of a reopened issue")
    completed: str = Field("resolved", description="the status of a completed issue")
    dropped: str = Field(
        "resolved",
        description="the status of an abandoned issue; if it is not that of a completed one, "
        "issues that have it are not reopened unasked",
    )
    closed: tuple[str, ...] = Field(
        ("done-cbb",), description="further statuses that no work is left to do in"
    )

    @property
    def base_url(self) -> str:
        """Where requests go."""
        return self.url

    @property
    def target(self) -> str:
        """The tracker: one server may have several."""
        return self.url.partition("://")[2]

    def recognise(self, url: str) -> ItemRef | None:
        """The issue that a pasted address means, or None."""
        if not url.startswith(f"{self.url}/"):
            return None
        match = _ISSUE.fullmatch(urlsplit(url).path.removeprefix(urlsplit(self.url).path))
        return self.ref(match[1]) if match else None

    def locate(self, item: str, url: str | None) -> ItemRef:
        """The issue that a link means.

        Raises:
            ConfigError: it is no issue of this tracker.
        """
        ref = self.recognise(url or f"{self.url}/issue{item}")
        if ref is None:
            problem = f"{url or item} is no issue of {self.url}"
            raise ConfigError((problem,), where="[trackers.roundup]", hint="check url")
        return ref

    def name(self, ref: ItemRef) -> str:
        """The issue's name for people, as in Roundup."""
        return f"issue{ref.id}"

    def allows(self, ref: ItemRef) -> bool:
        """Whether the issue is one of this tracker."""
        return self.recognise(ref.url) == ref

    def ref(self, number: str) -> ItemRef:
        """The issue with this number."""
        return ItemRef("roundup", self.target, number, f"{self.url}/issue{number}")

    def status_for(self, goal: Goal) -> str:
        """The status that reaches a goal."""
        statuses = {Goal.OPEN: self.reopened, Goal.COMPLETED: self.completed}
        return statuses.get(goal, self.dropped)

    def category(self, status: str) -> Category:
        """The meaning of a status; every tracker has its own statuses, without a category."""
        if status == self.completed or status in self.closed:
            return Category.DONE
        if status == self.dropped:
            return Category.DROPPED
        return Category.TODO if status == "unread" else Category.DOING
