"""Acts of people on a sandbox's trackers, without unlatch: create, read and change items."""

from dataclasses import dataclass
from typing import Any

from unlatch_sandbox import Sandbox
from unlatch_sandbox.pages import ItemView

REPOSITORY = "octo/widgets"
STATES = {
    "github": ("open", "closed"),
    "ado": ("Active", "Closed"),
    "jira": ("In Progress", "Done"),
}


@dataclass(frozen=True)
class Items:
    """The items of one tracker.

    Args:
        tracker: github, ado or jira.
    """

    box: Sandbox
    tracker: str

    def make(self, title: str, *, is_open: bool, labels: tuple[str, ...]) -> str:
        """An item; its id, as it stands in a link."""
        state = STATES[self.tracker][not is_open]
        if self.tracker == "github":
            return str(self.box.github.add_issue(title=title, state=state, labels=labels))
        if self.tracker == "ado":
            return str(self.box.ado.add_work_item(title=title, state=state, tags=labels))
        return self.box.jira.add_issue(summary=title, status=state, labels=labels)

    def view(self, item: str) -> ItemView:
        """An item as its page shows it."""
        box = self.box
        found = {
            "github": lambda: box.github.item(REPOSITORY, int(item)),
            "ado": lambda: box.ado.item(box.ado.project, int(item)),
            "jira": lambda: box.jira.item(item),
        }[self.tracker]()
        assert found is not None, f"there is no {item}"
        return found

    def titled(self, title: str) -> list[str]:
        """The ids of the items with this title."""
        views: list[ItemView] = getattr(self.box, self.tracker).items()
        # GitHub's page shows "octo/widgets#4".
        return [view.id.rpartition("#")[2] for view in views if view.title == title]

    def rename(self, item: str, title: str) -> None:
        """Give it another title."""
        self._edit(item, **{"summary" if self.tracker == "jira" else "title": title})

    def label(self, item: str, label: str) -> None:
        """Give it one more label."""
        labels = [*self.view(item).labels, label]
        self._edit(item, **{"tags" if self.tracker == "ado" else "labels": labels})

    def link(self, item: str) -> dict[str, Any]:
        """The block that ties an increment to it."""
        url = self.view(item).url
        key = {"github": "issue", "ado": "workItemId", "jira": "issueKey"}[self.tracker]
        return {key: item if self.tracker == "jira" else int(item), "url": url}

    def _edit(self, item: str, **changes: Any) -> None:
        if self.tracker == "github":
            self.box.github.edit(REPOSITORY, int(item), **changes)
        elif self.tracker == "ado":
            self.box.ado.edit(int(item), **changes)
        else:
            self.box.jira.edit(item, **changes)
