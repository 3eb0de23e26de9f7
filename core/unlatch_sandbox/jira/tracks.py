"""The data of Jira, and the effects of a transition."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.clock import Clock, stored
from unlatch_sandbox.jira.records import (
    CommentRecord,
    IssueRecord,
    ProjectRecord,
    SiteRecord,
    SprintRecord,
)
from unlatch_sandbox.jira.workflows import KEPT, WORKFLOWS, Transition, Workflow
from unlatch_sandbox.store import Store, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

CLOUD, SERVER = "Cloud", "Server"
# In front of the name of a group that is in a role.
GROUP = "group:"


class Tracks:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self._clock = clock
        self.sites = Table(store, "jira.site", SiteRecord)
        self.projects = Table(store, "jira.project", ProjectRecord)
        self.issues = Table(store, "jira.issue", IssueRecord)
        self.sprints = Table(store, "jira.sprint", SprintRecord)
        self.comment_table = Table(store, "jira.comment", CommentRecord)

    def now(self) -> str:
        return stored(self._clock())

    @property
    def site(self) -> SiteRecord:
        return self.sites.get("site") or SiteRecord(CLOUD)

    @property
    def deployment(self) -> str:
        return self.site.deployment

    def deploy(self, deployment: str) -> None:
        self.sites.put("site", replace(self.site, deployment=deployment))

    def project(self, key: str) -> ProjectRecord | None:
        """Find a project by its present or a former key."""
        every = self.projects.under
        return self.projects.get(key) or next((p for p in every() if key in p.former_keys), None)

    def issue(self, key_or_id: str) -> IssueRecord | None:
        """Find an issue by a present or former key in any case, or by its id."""
        key = key_or_id.upper()
        return self.issues.get(key) or next(
            (i for i in self.issues.under() if i.id == key or key in i.former_keys), None
        )

    def keep(self, issue: IssueRecord) -> None:
        self.issues.put(issue.key, issue)

    def touch(self, issue: IssueRecord) -> None:
        issue.updated = self.now()
        self.keep(issue)

    def workflow(self, issue: IssueRecord) -> Workflow:
        return WORKFLOWS[self.projects_of(issue).workflow]

    def projects_of(self, issue: IssueRecord) -> ProjectRecord:
        project = self.project(issue.project)
        if project is None:
            raise LookupError(f"no project {issue.project}")
        return project

    def next_key(self, project: str) -> str:
        # A moved issue keeps its old keys.
        keys = (key for issue in self.issues.under() for key in (issue.key, *issue.former_keys))
        taken = [int(key.rpartition("-")[2]) for key in keys if key.startswith(f"{project}-")]
        return f"{project}-{max(taken, default=0) + 1}"

    def new_issue(
        self, project: ProjectRecord, kind: str, summary: str, by: str, key: str | None = None
    ) -> IssueRecord:
        now, number = self.now(), self.store.next("jira.id", first=10_101)
        status = WORKFLOWS[project.workflow].first.name
        key = key or self.next_key(project.key)
        return IssueRecord(
            str(number), key, project.key, kind, summary, status, now, now, reporter=by
        )

    def transitions(self, issue: IssueRecord) -> list[Transition]:
        if not self.projects_of(issue).can_transition:
            return []
        return self.workflow(issue).open_from(issue.status)

    def set_status(self, issue: IssueRecord, status: str, by: str) -> None:
        issue.moves = [*issue.moves, [by, self.now(), issue.status, status]]
        issue.status = status

    def move(
        self, issue: IssueRecord, transition: Transition, resolution: str | None, by: str
    ) -> None:
        self.set_status(issue, transition.to, by)
        left = resolution or transition.resolution
        self.resolve(issue, issue.resolution if left == KEPT else left, by)

    def resolve(self, issue: IssueRecord, resolution: str | None, by: str) -> None:
        if resolution != issue.resolution:
            change = [by, self.now(), issue.resolution, resolution]
            issue.verdicts = [*issue.verdicts, change]
        issue.resolution = resolution
        issue.resolved = self.now() if resolution else None

    def move_to(self, issue: IssueRecord, project: str) -> None:
        """Move an issue to another project: it gets a new key, and the old one still works."""
        self.issues.remove(issue.key)
        issue.former_keys = [*issue.former_keys, issue.key]
        issue.project, issue.key = project, self.next_key(project)
        self.touch(issue)

    def rename(self, project: ProjectRecord, key: str) -> None:
        """Change a project's key: its issues keep their numbers, and their old keys still work."""
        former = project.key
        self.projects.remove(former)
        self.projects.put(
            key, replace(project, key=key, former_keys=[*project.former_keys, former])
        )
        for issue in self.issues.under(f"{former}-"):
            self.issues.remove(issue.key)
            issue.former_keys = [*issue.former_keys, issue.key]
            issue.project, issue.key = key, issue.key.replace(former, key, 1)
            self.keep(issue)

    def comments_of(self, issue: IssueRecord) -> list[CommentRecord]:
        return self.comment_table.under(f"{issue.id}/")

    def people(self) -> set[str]:
        """Everybody who wrote something, has an issue, or is in a group or a role."""
        issues, projects = self.issues.under(), self.projects.under()
        members = [*self.site.groups.values(), *(p.movers for p in projects)]
        members += [people for project in projects for people in project.roles.values()]
        members += [[comment.author for comment in self.comment_table.under()]]
        members += [[issue.reporter, issue.assignee or issue.reporter] for issue in issues]
        return {name for people in members for name in people if not name.startswith(GROUP)}

    def comment(self, comment_id: str) -> CommentRecord | None:
        records = self.comment_table.under()
        return next((comment for comment in records if comment.id == comment_id), None)

    def keep_comment(self, comment: CommentRecord) -> None:
        self.comment_table.put(f"{comment.issue}/{comment.id}", comment)

    def add_comment(
        self,
        issue: IssueRecord,
        body: Any,
        author: str,
        properties: Iterable[tuple[str, Any]] = (),
    ) -> CommentRecord:
        number = self.store.next("jira.comment", first=20_001)
        comment = CommentRecord(str(number), issue.id, author, body, self.now(), dict(properties))
        self.keep_comment(comment)
        self.touch(issue)
        return comment

    def remove_comment(self, issue: IssueRecord, comment: CommentRecord) -> None:
        self.comment_table.remove(f"{comment.issue}/{comment.id}")
        self.touch(issue)
