"""The settings in `[trackers.jira]`: site, projects, transitions."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from unlatch.errors import ConfigError
from unlatch.spi import ItemRef
from unlatch.spi.tables import Check, Table, setting
from unlatch_jira.settings_types import (
    CREATE,
    STAGES,
    Circle,
    FieldValue,
    Named,
    OnReopen,
    Paths,
    Place,
    Transitions,
    places,
)
from unlatch_jira.urls import KEY, PROJECT, parse, problem_of, project_of

# With a scoped token, requests to a Cloud site go through this host (https://support.atlassian.com
# "Manage API tokens": https://api.atlassian.com/ex/jira/{cloudId}).
_GATEWAY = "api.atlassian.com"
_CLOUD = ".atlassian.net"
_CLOUD_ID = "[0-9A-Za-z-]{8,64}"

# Jira's standard resolutions for work that was not done. Only its name or id shows the meaning of a
# resolution.
_DROPPED = ("Won't Do", "Won't Fix", "Duplicate", "Cannot Reproduce", "Declined")


def _site(url: str) -> str:
    if problem := problem_of(url):
        raise ValueError(f"{url!r} {problem}" if "@" not in url else f"the address {problem}")
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _project(key: str) -> str:
    if not PROJECT.fullmatch(key):
        raise ValueError(f"{key!r} is not a project key; in SCRUM-28 the key is SCRUM")
    return key


def _cloud_id(raw: str) -> str:
    # It becomes part of an address.
    if not re.fullmatch(_CLOUD_ID, raw):
        message = "is not the id of a site; SITE.atlassian.net/_edge/tenant_info shows it"
        raise ValueError(f"{raw!r} {message}")
    return raw


Site = Annotated[str, Check(_site)]
ProjectKey = Annotated[str, Check(_project)]
CloudId = Annotated[str, Check(_cloud_id, pattern=f"^{_CLOUD_ID}$")]


class JiraSettings(Table):
    """The settings in `[trackers.jira]`."""

    site: Site = setting(
        description="Address for requests: https://acme.atlassian.net, or a Data Center's "
        "address with its context path. A scoped token needs `gateway`, or "
        "https://api.atlassian.com/ex/jira/CLOUD-ID here"
    )
    gateway: bool = setting(
        default=False,
        description="Send requests through `gateway_url`, which scoped API tokens need",
    )
    cloud_id: CloudId | None = setting(
        default=None,
        description="The site's id at the gateway; by default unlatch asks the site once. "
        "Setting it turns `gateway` on",
    )
    gateway_url: Site = setting(
        default=f"https://{_GATEWAY}", description="Address of Atlassian's gateway"
    )
    web_url: Site | None = setting(
        default=None, description="Address of issues in a browser; by default `site`"
    )
    project: ProjectKey | None = setting(
        default=None, description="Key of the project for new issues. Its issues can be linked"
    )
    projects: tuple[ProjectKey, ...] = setting(
        default=(), description="Keys of further projects whose issues can be linked"
    )
    api_version: Literal[2, 3] | None = setting(
        default=None,
        description="Version of the REST API: 3 on Cloud, 2 on Data Center; by default chosen "
        "by the host",
    )
    issue_type: Named = setting(default="Story", description="Type of new issues")
    types: dict[str, Named] = setting(
        default={}, description="Type of new issues by the type of the increment"
    )
    transitions: Transitions = setting(
        default=Transitions(),
        description="Transitions that replace those chosen by status category",
    )
    transitions_for: dict[Place, Transitions] = setting(
        default={},
        description="The same for some issues, by `PROJECT/Type`, `PROJECT` or `*/Type`; the "
        "first that matches in this order applies",
    )
    paths: Paths = setting(
        default=Paths(),
        description="Paths of two or three transitions, for workflows without a single "
        "transition to the target",
    )
    fields: dict[Named, FieldValue] = setting(
        default={},
        description="Values for empty fields on a transition's screen, by name or id of the field. "
        "Those in the tables `reopen` and `close` are for such transitions alone, and those in "
        "`create` for new issues; write a field of such a name by its id",
    )
    comment_in_transition: bool = setting(
        default=False,
        description="Send the comment within the transition, which makes one mail of two. Where "
        "Jira refuses a transition without one, it is sent so by itself",
    )
    notify: bool = setting(
        default=True,
        description="`false` asks for fewer mails, as `--no-notify`: none of edits, and the "
        "comment within the transition",
    )
    on_reopen: OnReopen = setting(
        default=OnReopen(), description="Further changes to a reopened issue"
    )
    sprint_field: Named | None = setting(
        default=None,
        description="Id of the field that holds sprints, such as customfield_10020; by default "
        "found by `unlatch doctor --online`",
    )
    resolution: Named = setting(
        default="Done",
        description="Resolution of completed work, where the transition asks for one",
    )
    dropped_resolutions: tuple[Named, ...] = setting(
        default=_DROPPED,
        description="Resolutions of work that was not done. An issue with one of them stays "
        "closed unless you pass `--even-if-not-planned`. An abandoned issue gets "
        "the first one that Jira offers",
    )

    triage_groups: tuple[Circle, ...] = setting(
        default=(),
        description="Groups of the site and roles of the project, as `group:NAME` and "
        "`role:NAME`, whose commands in comments count as those of people with triage",
    )
    write_groups: tuple[Circle, ...] = setting(
        default=(), description="The same for write, so that they also complete increments"
    )

    def __post_init__(self) -> None:
        if flat := [stage for stage in STAGES if not isinstance(self.fields.get(stage, {}), dict)]:
            raise ValueError(
                f"fields.{flat[0]} is a table of fields; write a field of that name by its id"
            )
        host = urlsplit(self.site).hostname or ""
        if self.web_url is None and host == _GATEWAY:
            raise ValueError(
                f"web_url is needed where site is on {_GATEWAY}: the address under which people "
                "open issues, such as https://acme.atlassian.net"
            )
        # The id decides whose issues are changed, and comes from the site's answer.
        if self.gateway and self.cloud_id is None and not (_is_clouds(host) or _is_local(host)):
            raise ValueError(
                f"gateway asks the site for its id, and {host} is not on {_CLOUD[1:]}: name it in "
                "cloud_id"
            )

    @property
    def through_gateway(self) -> bool:
        """Whether requests go through Atlassian's gateway instead of to the site."""
        return self.gateway or self.cloud_id is not None

    @property
    def base_url(self) -> str:
        """The base address of requests."""
        return self.gateway_url if self.through_gateway else self.site

    @property
    def target_base(self) -> str:
        """The site of the requests; at the gateway its id decides, which the site tells."""
        return self.server(self.cloud_id) if self.cloud_id else self.site

    def server(self, cloud_id: str | None) -> str:
        """The base address of the REST APIs."""
        return f"{self.gateway_url}/ex/jira/{cloud_id}" if self.through_gateway else self.site

    @property
    def target(self) -> str | None:
        """The key of the project for new issues."""
        return self.project

    @property
    def web(self) -> str:
        """The base address of issues in a browser."""
        return self.web_url or self.site

    @property
    def version(self) -> Literal[2, 3]:
        """The version of the REST API."""
        return self.api_version or (3 if self._is_atlassians else 2)

    @property
    def is_cloud(self) -> bool:
        """Whether the site is Jira Cloud; only Cloud has version 3."""
        return self.version == 3 or self._is_atlassians  # noqa: PLR2004

    @property
    def _is_atlassians(self) -> bool:
        host = urlsplit(self.site).hostname or ""
        return self.through_gateway or host == _GATEWAY or _is_clouds(host)

    def recognise(self, url: str) -> ItemRef | None:
        """The issue at a pasted address; None if it is not of this site."""
        address = parse(url)
        return self.ref(address.key) if address and address.is_below(self.web) else None

    def locate(self, item: str, url: str | None) -> ItemRef:
        """The issue of a link; one of another site is in no target.

        Raises:
            ConfigError: neither the address nor the id is an issue's.
        """
        if url is None:
            key = item.strip().upper()
            if KEY.fullmatch(key):
                return self.ref(key)
            raise _unlocated(f"{item!r} is not an issue's key, such as SCRUM-28")
        address = parse(url)
        if address is None:
            raise _unlocated(f"{url!r} is not the address of an issue under {self.web}")
        if address.is_below(self.web):
            return self.ref(address.key)
        return ItemRef("jira", f"{address.host}/{project_of(address.key)}", address.key, url)

    def name(self, ref: ItemRef) -> str:
        """The issue's name for people: its key."""
        return ref.id

    def allows(self, ref: ItemRef) -> bool:
        """Whether the issue is in a configured project of this site."""
        return self.recognise(ref.url) == ref and ref.target in {self.project, *self.projects}

    def ref(self, key: str) -> ItemRef:
        """The issue with this key."""
        return ItemRef("jira", project_of(key), key, f"{self.web}/browse/{key}")

    def transitions_at(self, project: str, kind: str | None) -> Transitions:
        """The configured transitions for issues of this type in this project."""
        transitions = self.transitions
        if not self.transitions_for:
            return transitions
        tables = {place.casefold(): table for place, table in self.transitions_for.items()}
        for place in reversed(places(project, kind)):
            if place in tables:
                given = {name: value for name, value in tables[place] if value is not None}
                transitions = transitions.replaced(**given)
        return transitions

    def fields_for(self, stage: str) -> tuple[dict[str, FieldValue], ...]:
        """The values of fields for one of STAGES; then the flat ones, which are for transitions."""
        flat = {name: value for name, value in self.fields.items() if name not in STAGES}
        own = self.fields.get(stage)
        tables = (own if isinstance(own, dict) else {}, {} if stage == CREATE else flat)
        return tuple(filter(None, tables))

    def type_for(self, increment_type: str | None) -> str:
        """The issue type for an increment of this type."""
        return self.types.get(increment_type or "", self.issue_type)


def _is_clouds(host: str) -> bool:
    return host.endswith(_CLOUD)


def _is_local(host: str) -> bool:
    return host in ("127.0.0.1", "::1", "localhost")


def _unlocated(problem: str) -> ConfigError:
    return ConfigError(
        (problem,),
        where="[trackers.jira]",
        hint="link it again by the address in your browser",
    )
