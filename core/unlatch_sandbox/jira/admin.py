"""The Python API of the stand-in for Jira: seeding, reading back, people's changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.jira import adf, shapes
from unlatch_sandbox.jira.records import IssueRecord, ProjectRecord, SprintRecord
from unlatch_sandbox.jira.tracks import CLOUD, SERVER, Tracks
from unlatch_sandbox.jira.workflows import (
    DONE,
    EPIC_LINK,
    ISSUE_TYPES,
    RESOLUTIONS,
    ROOT_CAUSE,
    SPRINT,
    WORKFLOWS,
)
from unlatch_sandbox.pages import CommentView, ItemView
from unlatch_sandbox.ticking import ticked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_sandbox.clock import Clock
    from unlatch_sandbox.store import Store

HOME = "SCRUM"
OWNER = "Octo Cat"
PERSON = "A Person"
_BY_HAND = (
    "summary",
    "status",
    "resolution",
    "labels",
    "assignee",
    "description",
    "type",
    "parent",
    "sprints",
    "cause",
)


class JiraAdmin:
    """A site is Cloud until a project is added with `deployment="Server"`: the whole site changes.

    Cloud takes `email` with `token`, a Server takes `pat` as a bearer token.
    """

    token = "sandbox-jira-token"  # noqa: S105 (it opens nothing but the sandbox)
    email = "octo.cat@example.com"
    pat = "sandbox-jira-pat"
    # Another account on the same site, such as CI's.
    bot_email = "bot@example.com"
    bot_token = "sandbox-jira-bot-token"  # noqa: S105
    bot_pat = "sandbox-jira-bot-pat"
    # A token with scopes works only at the gateway, any other only at the site.
    scoped_token = "sandbox-jira-scoped-token"  # noqa: S105
    cloud_id = "11111111-2222-4333-8444-555555555555"
    project = HOME

    def __init__(self, store: Store, url: str, clock: Clock) -> None:
        self.site = url
        self.clock = clock
        self.tracks = Tracks(store, clock)
        self.accounts = {(self.email, self.token): OWNER, (self.bot_email, self.bot_token): "Bot"}
        self.scoped = {(self.email, self.scoped_token): OWNER}
        self.pats = {self.pat: OWNER, self.bot_pat: "Bot"}
        # Servers before Jira 6.1 have none.
        self.has_categories = True
        # Whether the token has the permission "Browse users and groups".
        self.sees_users = True

    @property
    def deployment(self) -> str:
        return self.tracks.deployment

    @property
    def api_version(self) -> int:
        return 3 if self.deployment == CLOUD else 2

    def furnish(self) -> None:
        self.has_categories = self.sees_users = True
        if self.tracks.project(HOME) is None:
            self.add_project(HOME)

    def environ(self) -> dict[str, str]:
        if self.deployment == SERVER:
            return {"JIRA_PAT": self.pat}
        return {"JIRA_API_TOKEN": self.token, "JIRA_EMAIL": self.email}

    def config(self) -> str:
        return (
            "[trackers.jira]\n"
            f'site = "{self.site}"\nweb_url = "{self.site}"\nproject = "{HOME}"\n'
            f"api_version = {self.api_version}\n"
        )

    def add_project(
        self,
        key: str,
        workflow: str = "simplified",
        deployment: str | None = None,
        *,
        can_transition: bool = True,
        can_view_workflow: bool = True,
        can_administer: bool = True,
    ) -> None:
        """Add a project with one of the workflows, or replace it."""
        if workflow not in WORKFLOWS:
            raise ValueError(f"no workflow {workflow!r}; there are {', '.join(WORKFLOWS)}")
        if deployment not in (None, CLOUD, SERVER):
            raise ValueError(f"no deployment {deployment!r}; there are {CLOUD} and {SERVER}")
        with self.tracks.store.transaction():
            earlier = self.tracks.project(key)
            number = (
                earlier.id if earlier else str(self.tracks.store.next("jira.project", first=10_000))
            )
            rights = (can_transition, can_view_workflow, can_administer)
            project = ProjectRecord(number, key, workflow, *rights)
            self.tracks.projects.put(key, project)
            if deployment:
                self.tracks.deploy(deployment)

    def add_issue(
        self,
        key: str | None = None,
        *,
        project: str = HOME,
        type: str = "Story",
        summary: str,
        status: str | None = None,
        resolution: str | None = None,
        labels: Iterable[str] = (),
        assignee: str | None = None,
        description: str | None = None,
        parent: str | None = None,
        sprints: Iterable[int] = (),
        reporter: str = OWNER,
    ) -> str:
        """Add an issue; a key implies the project, a done status its usual resolution."""
        tracks = self.tracks
        with tracks.store.transaction():
            home = tracks.project(key.rpartition("-")[0] if key else project)
            if home is None:
                raise LookupError(f"no project for {key or project}: add it with add_project")
            if key and tracks.issue(key):
                raise ValueError(f"{key} exists already")
            if type not in ISSUE_TYPES:
                raise ValueError(f"no type {type!r}; there are {', '.join(ISSUE_TYPES)}")
            issue = tracks.new_issue(home, type, summary, reporter, key)
            issue.labels, issue.assignee = list(labels), assignee
            issue.description = description
            issue.parent, issue.sprints = parent, list(sprints)
            workflow = WORKFLOWS[home.workflow]
            issue.status = workflow.status(status or issue.status).name
            verdict = _known(resolution) or workflow.resolution_in(issue.status)
            tracks.resolve(issue, verdict, OWNER)
            tracks.keep(issue)
            return issue.key

    def edit(self, key: str, *, by: str = PERSON, **fields: Any) -> None:
        """Edit as a person; a status sets its usual resolution unless one is given."""
        with self.tracks.store.transaction():
            issue = self._issue(key)
            if unknown := set(fields) - set(_BY_HAND):
                raise ValueError(
                    f"a person cannot change {', '.join(unknown)}; {', '.join(_BY_HAND)}"
                )
            if "status" in fields:
                workflow = self.tracks.workflow(issue)
                self.tracks.set_status(issue, workflow.status(fields["status"]).name, by)
                self.tracks.resolve(issue, workflow.resolution_in(issue.status), by)
            if "resolution" in fields:
                self.tracks.resolve(issue, _known(fields["resolution"]), by)
            for name in set(fields) - {"status", "resolution"}:
                value = list(fields[name]) if name in ("labels", "sprints") else fields[name]
                setattr(issue, name, value)
            self.tracks.touch(issue)

    def tick(self, key: str, words: str, *, done: bool = True) -> None:
        """Tick or untick the check box in front of these words, as a person in the editor."""
        body = json.dumps(self._issue(key).description, ensure_ascii=False)
        self.edit(key, description=json.loads(ticked(body, words, done=done)))

    def move(self, key: str, project: str) -> str:
        """Moves an issue to another project; returns its new key."""
        with self.tracks.store.transaction():
            issue = self._issue(key)
            self.tracks.move_to(issue, project)
            return issue.key

    def rename_project(self, key: str, to: str) -> None:
        """Changes the key of a project and of its issues."""
        with self.tracks.store.transaction():
            self.tracks.rename(self._project(key), to)

    def add_sprint(self, name: str, state: str = "active", board: int = 1) -> int:
        with self.tracks.store.transaction():
            number = self.tracks.store.next("jira.sprint", first=7)
            self.tracks.sprints.put(str(number), SprintRecord(number, name, state, board))
            return number

    def switch_off(self, person: str) -> None:
        """Deactivate a person's account, which stays assigned."""
        with self.tracks.store.transaction():
            site = self.tracks.site
            site.departed = [*site.departed, person]
            self.tracks.sites.put("site", site)

    def add_group(self, name: str, *people: str) -> None:
        """Add a group of the site, or replace it."""
        with self.tracks.store.transaction():
            site = self.tracks.site
            site.groups = {**site.groups, name: list(people)}
            self.tracks.sites.put("site", site)

    def add_role(self, name: str, *people: str, project: str = HOME) -> None:
        """Add a role of a project, or replace it; a group is in it as "group:NAME"."""
        with self.tracks.store.transaction():
            home = self._project(project)
            home.roles = {**home.roles, name: list(people)}
            self.tracks.projects.put(home.key, home)

    def allow_moves(self, *people: str, project: str = HOME) -> None:
        """Let other people than the token's transition the issues of a project."""
        with self.tracks.store.transaction():
            home = self._project(project)
            home.movers = [*home.movers, *people]
            self.tracks.projects.put(home.key, home)

    def _project(self, key: str) -> ProjectRecord:
        if (project := self.tracks.project(key)) is None:
            raise LookupError(f"no project {key}")
        return project

    def add_comment(
        self,
        key: str,
        text: Any,
        user: str = PERSON,
        *,
        role: str | None = None,
        group: str | None = None,
        internal: bool = False,
    ) -> str:
        """Add a comment, as text or as a document; only a `role` or `group` sees it, if any."""
        with self.tracks.store.transaction():
            comment = self.tracks.add_comment(self._issue(key), text, user)
            comment.role, comment.group, comment.internal = role, group, internal
            self.tracks.keep_comment(comment)
            return comment.id

    def edit_comment(self, key: str, comment: str, text: str | None) -> None:
        """Edit a comment; None deletes it."""
        with self.tracks.store.transaction():
            issue = self._issue(key)
            record = {record.id: record for record in self.tracks.comments_of(issue)}[comment]
            if text is None:
                self.tracks.remove_comment(issue, record)
                return
            record.body, record.updated = text, self.tracks.now()
            self.tracks.keep_comment(record)

    def issue(self, key: str) -> dict[str, Any]:
        issue, dialect = self._issue(key), self.dialect()
        return {**shapes.issue_address(issue, dialect), "fields": self.fields(issue, dialect)}

    def comments(self, key: str) -> list[dict[str, Any]]:
        records = self.tracks.comments_of(self._issue(key))
        return [shapes.comment(c, self.dialect(), properties=True) for c in records]

    def mails(self, key: str) -> int:
        """The changes of which people got mail."""
        return self._issue(key).mails

    def properties(self, key: str) -> dict[str, Any]:
        return self._issue(key).properties

    def fields(self, issue: IssueRecord, dialect: shapes.Dialect) -> dict[str, Any]:
        tracks = self.tracks
        home, workflow = tracks.projects_of(issue), tracks.workflow(issue)
        departed = tracks.site.departed
        own = shapes.fields(
            issue, home, workflow, tracks.comments_of(issue), dialect, departed=departed
        )
        sprints = [tracks.sprints.get(str(number)) for number in issue.sprints]
        own[SPRINT] = [shapes.sprint(sprint, dialect) for sprint in sprints if sprint] or None
        own[ROOT_CAUSE] = shapes.cause(issue.cause, dialect)
        return own | self._above(issue, dialect)

    def _above(self, issue: IssueRecord, dialect: shapes.Dialect) -> dict[str, Any]:
        """Cloud shows an epic as the parent; a Server has a field with its key."""
        parent = self.tracks.issue(issue.parent) if issue.parent else None
        above = (
            {"parent": shapes.parent(parent, self.tracks.workflow(parent), dialect)}
            if parent
            else {}
        )
        if dialect.cloud:
            return above
        is_epic = parent is not None and parent.type == "Epic"
        link = {EPIC_LINK: parent.key if parent and is_epic else None}
        return link if is_epic else {**above, **link}

    def dialect(self) -> shapes.Dialect:
        cloud = self.deployment == CLOUD
        return shapes.Dialect(self.site, str(self.api_version), cloud, self.has_categories)

    def items(self) -> list[ItemView]:
        return [self._view(issue) for issue in self.tracks.issues.under()]

    def item(self, key: str) -> ItemView | None:
        issue = self.tracks.issue(key)
        return self._view(issue) if issue else None

    def _view(self, issue: IssueRecord) -> ItemView:
        comments = self.tracks.comments_of(issue)
        status = self.tracks.workflow(issue).status(issue.status)
        return ItemView(
            tracker="jira",
            id=issue.key,
            place=issue.project,
            title=issue.summary,
            type=issue.type,
            state=issue.status,
            open=status.category is not DONE,
            labels=issue.labels,
            assignee=issue.assignee,
            url=f"{self.site}/browse/{issue.key}",
            updated=issue.updated,
            notes=[f"resolution {issue.resolution}"] if issue.resolution else [],
            description=adf.to_text(issue.description),
            comments=[CommentView(c.author, adf.to_text(c.body), c.created) for c in comments],
        )

    def _issue(self, key: str) -> IssueRecord:
        issue = self.tracks.issue(key)
        if issue is None:
            raise LookupError(f"no issue {key}")
        return issue


def _known(resolution: str | None) -> str | None:
    if resolution not in (None, *RESOLUTIONS):
        raise ValueError(f"no resolution {resolution!r}; there are {', '.join(RESOLUTIONS)}")
    return resolution
