"""The Python API of the stand-in for GitHub: seeding, reading back, people's changes."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.github import shapes
from unlatch_sandbox.github.hub import CLOSE_REASONS, OPEN_REASON, Hub, Quota
from unlatch_sandbox.github.item_view import item_view
from unlatch_sandbox.github.records import (
    CommentRecord,
    IssueRecord,
    LabelRecord,
    MadeCommit,
    MilestoneRecord,
    MoveRecord,
    Person,
    RepositoryRecord,
)
from unlatch_sandbox.ticking import ticked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch_sandbox.clock import Clock
    from unlatch_sandbox.pages import ItemView
    from unlatch_sandbox.store import Store

HOME = "octo/widgets"
OWNER = "octocat"
_LABELS = ("reopened", "completed")
_BY_HAND = (
    *("title", "body", "labels", "assignees", "locked", "deleted", "milestone", "type"),
    "branch_deleted",
)


class GithubAdmin:
    token = "sandbox-github-token"  # noqa: S105 (it opens nothing but the sandbox)
    # CI posts as another user than the laptop.
    bot_token = "sandbox-github-bot-token"  # noqa: S105
    # A fine-grained token of the owner's: no answer shows its permissions.
    fine_token = "sandbox-github-fine-token"  # noqa: S105
    # A classic token without scopes reads what is public.
    reader_token = "sandbox-github-reader-token"  # noqa: S105
    repository = HOME
    # The organization's issue types.
    types = ("Bug", "Feature", "Task")

    def __init__(self, store: Store, url: str, clock: Clock) -> None:
        self.web_url = url
        self.api_url = f"{url}/api/v3"
        self.clock = clock
        self.hub = Hub(store, clock)
        self.quota = Quota()
        self.users = {
            self.token: OWNER,
            self.bot_token: "github-actions[bot]",
            self.fine_token: OWNER,
            self.reader_token: "reader",
        }

    def furnish(self) -> None:
        # The classic token's scopes, whether there is GraphQL, who cannot be assigned.
        self.scopes = "repo"
        self.has_graphql = True
        self.outsiders = {"nobody"}
        # The members of the teams; None if no token reads teams.
        self.teams: dict[str, set[str]] | None = None
        # The webhooks of each repository, as the API shows them.
        self.hooks: dict[str, list[dict[str, Any]]] = {}
        # All others are members of the organization, and may write.
        self.people: dict[str, Person] = {}
        if self.hub.repository(HOME) is None:
            self.add_repository(HOME)
            for name in _LABELS:
                self.add_label(name)

    def config(self) -> str:
        return (
            "[trackers.github]\n"
            f'api_url = "{self.api_url}"\nweb_url = "{self.web_url}"\nrepository = "{HOME}"\n'
        )

    def add_repository(
        self,
        name: str,
        archived: bool = False,
        has_issues: bool = True,
        push: bool = True,
        *,
        issues_write: bool = True,
        issues_read: bool = True,
        private: bool = False,
    ) -> None:
        """Adds `owner/name`, or replaces the permissions on it.

        Without `push` labels, milestone, assignees and type are dropped silently from an issue, and
        labels are refused elsewhere; without `issues_write` every change is refused with 403,
        without `issues_read` every read of an issue.
        """
        with self.hub.store.transaction():
            earlier = self.hub.repository(name)
            self.hub.keep_repository(
                RepositoryRecord(
                    earlier.id if earlier else self.hub.new_id(),
                    name,
                    earlier.created_at if earlier else self.hub.now(),
                    archived,
                    has_issues,
                    push,
                    issues_write,
                    issues_read,
                    private,
                )
            )

    def rename_repository(self, name: str, new_name: str) -> None:
        """Rename a repository; the old name answers 301, or 307 to a change."""
        hub = self.hub
        with hub.store.transaction():
            record = self._repository(name)
            hub.repositories.remove(name.casefold())
            record.full_name = new_name
            hub.keep_repository(record)
            hub.renames.put(name.casefold(), MoveRecord(new_name))
            for label in hub.labels_of(name):
                hub.keep_label(new_name, label)
            for issue in hub.issues_of(name):
                self._carry(issue, new_name, issue.number)

    def transfer_issue(self, repository: str, number: int, to: str) -> int:
        """Move an issue to another repository; the old address answers 301."""
        with self.hub.store.transaction():
            new_number = self.hub.next_number(self._repository(to).full_name)
            self._carry(self._issue(repository, number), to, new_number)
            place = f"{repository.casefold()}#{number}"
            self.hub.transfers.put(place, MoveRecord(f"{to}#{new_number}"))
            return new_number

    def add_issue(
        self,
        repository: str = HOME,
        *,
        number: int | None = None,
        title: str,
        state: str = "open",
        state_reason: str | None = None,
        labels: Iterable[str] = (),
        assignee: str | None = None,
        locked: bool = False,
        body: str = "",
        pull_request: bool = False,
        merged: bool = False,
        milestone: int | None = None,
        author: str = OWNER,
    ) -> int:
        hub = self.hub
        with hub.store.transaction():
            home, now = self._repository(repository).full_name, hub.now()
            number = number or hub.next_number(home)
            if hub.issue(home, number) is not None:
                raise ValueError(f"{home}#{number} exists already")
            issue = IssueRecord(hub.new_id(), home, number, title, author, now, now, body)
            issue.assignees = [assignee] if assignee else []
            issue.locked, issue.pull_request, issue.milestone = locked, pull_request, milestone
            hub.set_labels(issue, labels)
            issue.merged_at = now if merged else None
            hub.set_state(issue, state, state_reason, OWNER)
            if state == "open":
                issue.state_reason = state_reason
            hub.keep_issue(issue)
        return number

    def add_person(self, login: str, *, role: str = "read", association: str = "NONE") -> None:
        """Add a person with a special role: "admin", "maintain", ..., "read", "none"."""
        self.people[login.casefold()] = Person(role, association)

    def person(self, login: str) -> Person:
        # Apps have no association, with any permissions.
        usual = Person("none", "NONE") if shapes.is_bot(login) else Person()
        return self.people.get(login.casefold(), usual)

    def add_label(self, name: str, *, repository: str = HOME) -> None:
        with self.hub.store.transaction():
            self.hub.keep_label(repository, LabelRecord(self.hub.new_id(), name))

    def add_hook(self, *, events: Iterable[str], code: int = 200, repository: str = HOME) -> None:
        """Add a webhook whose last delivery was answered with this status."""
        hook = {
            "type": "Repository",
            "id": self.hub.new_id(),
            "name": "web",
            "active": True,
            "events": [*events],
            "config": {"url": "https://fleet.example.com/", "content_type": "json"},
            "last_response": {"code": code, "status": "active", "message": "OK"},
        }
        self.hooks.setdefault(repository.casefold(), []).append(hook)

    def add_milestone(self, title: str, *, state: str = "open", repository: str = HOME) -> int:
        hub = self.hub
        with hub.store.transaction():
            home = self._repository(repository).full_name
            number = len(hub.milestones_of(home)) + 1
            hub.keep_milestone(MilestoneRecord(hub.new_id(), home, number, title, hub.now(), state))
        return number

    def put_in_project(self, repository: str, number: int, project: str, status: str) -> None:
        with self.hub.store.transaction():
            issue = self._issue(repository, number)
            issue.projects[project] = status
            self.hub.touch(issue)

    def convert_to_discussion(self, repository: str, number: int) -> None:
        """Convert an issue: it keeps its place, and accepts no more comments."""
        self.edit(repository, number, locked=True)

    def issue(self, repository: str, number: int) -> dict[str, Any]:
        return self.show(self._issue(repository, number), shapes.Addresses.at(self.web_url))

    def comments(self, repository: str, number: int) -> list[dict[str, Any]]:
        at = shapes.Addresses.at(self.web_url)
        records = self.hub.comments_of(self._issue(repository, number))
        return [self.show_comment(record, at) for record in records]

    def edit(self, repository: str, number: int, **changes: Any) -> None:
        """Changes by a person (`by`): title, body, state, labels, assignees, locked."""
        hub = self.hub
        with hub.store.transaction():
            issue = self._issue(repository, number)
            reason = changes.pop("state_reason", None)
            state = changes.pop("state", issue.state)
            if reason not in (None, OPEN_REASON, *CLOSE_REASONS) or state not in ("open", "closed"):
                raise ValueError(f"no state {state!r} with reason {reason!r}")
            hub.set_state(issue, state, reason, changes.pop("by", "a-person"))
            for name, value in changes.items():
                if name not in _BY_HAND:
                    raise ValueError(f"a person cannot change {name!r}; {', '.join(_BY_HAND)}")
                if name != "labels":
                    setattr(issue, name, value)
            hub.set_labels(issue, changes.get("labels", issue.labels))
            hub.touch(issue)

    def tick(self, repository: str, number: int, words: str, *, done: bool = True) -> None:
        """Tick or untick the check box in front of these words, as a person."""
        body = self._issue(repository, number).body or ""
        self.edit(repository, number, body=ticked(body, words, done=done))

    def merge_pull_request(
        self, repository: str, pull: int, *, closes: int, commits: Sequence[MadeCommit] = ()
    ) -> None:
        """Merge a pull request whose description says that it closes an issue.

        Args:
            commits: the one that merged it, and those of its branch.
        """
        self._close(repository, closes, pull, commits)

    def push_commit(self, repository: str, commit: MadeCommit, *, closes: int) -> None:
        """Push a commit whose message says that it closes an issue."""
        self._close(repository, closes, None, [commit])

    def _close(
        self, repository: str, number: int, pull: int | None, commits: Sequence[MadeCommit]
    ) -> None:
        with self.hub.store.transaction():
            issue = self._issue(repository, number)
            self.hub.set_state(issue, "closed", "completed", "a-person")
            issue.closers[str(issue.moves[-1][0])] = (pull, [asdict(commit) for commit in commits])
            self.hub.touch(issue)

    def add_comment(
        self,
        repository: str,
        number: int,
        body: str,
        user: str = "a-person",
        *,
        review: bool = False,
    ) -> int:
        """Add a comment to an issue, or with `review` to the code of a pull request."""
        with self.hub.store.transaction():
            issue = self._issue(repository, number)
            return self.hub.add_comment(issue, body, user, review=review).id

    def edit_comment(self, repository: str, comment: int, body: str | None) -> None:
        """Edit a comment; None deletes it."""
        with self.hub.store.transaction():
            record = self.hub.comment(repository, comment)
            if record is None:
                raise LookupError(f"no comment {comment} in {repository}")
            self.hub.edit_comment(record, body)

    def show(self, issue: IssueRecord, at: shapes.Addresses) -> dict[str, Any]:
        records = (self.hub.label(issue.repository, name) for name in issue.labels)
        milestone = issue.milestone and self.hub.milestone(issue.repository, issue.milestone)
        labels = [label for label in records if label]
        association = self.person(issue.user).association
        return shapes.issue(issue, labels, at, milestone or None, association=association)

    def show_comment(self, comment: CommentRecord, at: shapes.Addresses) -> dict[str, Any]:
        return shapes.comment(comment, at, association=self.person(comment.user).association)

    def items(self) -> list[ItemView]:
        return [
            item_view(self.hub, self.web_url, issue)
            for issue in self.hub.issues.under()
            if not issue.deleted
        ]

    def item(self, repository: str, number: int) -> ItemView | None:
        issue = self.hub.issue(repository, number)
        return item_view(self.hub, self.web_url, issue) if issue and not issue.deleted else None

    def _repository(self, name: str) -> RepositoryRecord:
        repository = self.hub.repository(name)
        if repository is None:
            raise LookupError(f"no repository {name}: add it with add_repository")
        return repository

    def _issue(self, repository: str, number: int) -> IssueRecord:
        issue = self.hub.issue(repository, number)
        if issue is None:
            raise LookupError(f"no issue {repository}#{number}")
        return issue

    def _carry(self, issue: IssueRecord, to: str, number: int) -> None:
        hub = self.hub
        old, comments = f"{issue.repository.casefold()}#{issue.number}", hub.comments_of(issue)
        hub.issues.remove(old)
        if to.casefold() != issue.repository.casefold():
            issue.milestone = None
        issue.repository, issue.number = to, number
        hub.set_labels(issue, issue.labels)
        hub.keep_issue(issue)
        for comment in comments:
            hub.comments.remove(f"{old}/{comment.id}")
            comment.repository, comment.number = to, number
            hub.comments.put(f"{to.casefold()}#{number}/{comment.id}", comment)
