"""The table `[trackers.roundup]`."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from unlatch.errors import ConfigError
from unlatch.spi import Category, Goal, ItemRef
from unlatch.spi.validation import web_address


class RoundupSettings(BaseModel):
    """One tracker, and the meaning of its statuses."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    url: Annotated[str, AfterValidator(web_address)] = Field(
        description="the address, such as https://bugs.example.org/tracker"
    )
    user: str = Field(description="the login name that posts the messages")
    reopened: str = Field("chatting", description="the status of a reopened issue")
    completed: str = Field("resolved", description="the status of a completed issue")
    dropped: str = Field("resolved", description="the status of an abandoned issue")
    closed: tuple[str, ...] = Field(("done-cbb",), description="further statuses of closed issues")

    @property
    def base_url(self) -> str:
        """The address that requests begin with; its host must be trusted."""
        return self.url

    @property
    def target(self) -> str:
        """The tracker: a server may have several."""
        return self.url.partition("://")[2]

    def recognise(self, url: str) -> ItemRef | None:
        """The issue at a pasted address, or None if it is not this tracker's."""
        match = re.fullmatch(rf"{re.escape(self.url)}/issue([1-9][0-9]*)/?([?#].*)?", url)
        if match is None:
            return None
        return ItemRef("roundup", self.target, match[1], f"{self.url}/issue{match[1]}")

    def locate(self, item: str, url: str | None) -> ItemRef:
        """The issue of a link, by its address if known, else by its number or name."""
        ref = self.recognise(url or f"{self.url}/issue{item.removeprefix('roundup#')}")
        if ref is None:
            problem = f"{url or item} is not an issue of {self.url}"
            raise ConfigError((problem,), where="[trackers.roundup]", hint="check url")
        return ref

    def name(self, ref: ItemRef) -> str:
        """The issue's name for people."""
        return f"roundup#{ref.id}"

    def allows(self, ref: ItemRef) -> bool:
        """Whether the issue is one of this tracker."""
        return self.recognise(ref.url) == ref

    def status_for(self, goal: Goal) -> str:
        """The status that reaches a goal."""
        return {Goal.OPEN: self.reopened, Goal.COMPLETED: self.completed}.get(goal, self.dropped)

    def category(self, status: str) -> Category:
        """The meaning of a status; if `dropped` is a status of its own, it means deliberate."""
        if status in (self.completed, *self.closed):
            return Category.DONE
        return Category.DROPPED if status == self.dropped else Category.DOING
