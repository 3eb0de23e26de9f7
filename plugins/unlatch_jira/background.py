"""What an issue says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import TrackerError
from unlatch.spi import Background
from unlatch_jira.api.comments import Person
from unlatch_jira.api.json_model import parse
from unlatch_jira.api.rich_text import addresses, plain

if TYPE_CHECKING:
    from unlatch_jira.api.models import Issue


def background(issue: Issue) -> Background | TrackerError:
    """The words of an issue; those of customers and of nobody are a stranger's."""
    words = (issue.item.title, plain(issue.description), *addresses(issue.description))
    creator = issue.custom("creator")
    try:
        is_strangers = creator is None or parse(Person, creator).is_customer
    except TrackerError as error:
        return error
    return Background("\n".join(words), is_strangers)
