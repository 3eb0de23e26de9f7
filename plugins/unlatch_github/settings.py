"""The settings in `[trackers.github]`."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import SplitResult, parse_qs, urlsplit

from unlatch.errors import ConfigError
from unlatch.patterns import pattern
from unlatch.spi import ItemRef
from unlatch.spi.tables import Check, Table, setting
from unlatch.spi.validation import web_address

GITHUB_API = "https://api.github.com"
GITHUB_WEB = "https://github.com"

_SECTION = "[trackers.github]"
_REPOSITORY = r"[A-Za-z0-9][A-Za-z0-9_-]*/(?!\.{1,2}(?:/|$))[A-Za-z0-9._-]+"
_NUMBER = r"[1-9][0-9]{0,17}"
# A pull request with the tab that a browser shows.
_PATH = pattern(rf"/({_REPOSITORY})/(?:(issues)/({_NUMBER})/?|(pull)/({_NUMBER})(?:/[a-z]*)?)")
# GitHub's boards and lists show an issue in a pane and name it in the query.
_ISSUE_QUERY = pattern(rf"({_REPOSITORY.replace('/', '[|]', 1)})[|]({_NUMBER})")
_ISSUE_ID = pattern(rf"(?:({_REPOSITORY})?#)?({_NUMBER})")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def _repository_name(raw: str) -> str:
    if not re.fullmatch(_REPOSITORY, raw):
        raise ValueError(f"{raw!r} is not a repository: write it as owner/name")
    return raw


_WebAddress = Annotated[str, Check(web_address)]
_Repository = Annotated[str, Check(_repository_name)]


class OnReopen(Table):
    """Further changes to a reopened issue; none by default."""

    milestone: Literal["keep", "clear"] = setting(
        default="keep", description="`clear` removes the issue from a closed milestone"
    )
    assignee: Literal["keep", "me"] = setting(
        default="keep",
        description="`me` assigns the issue to the token's account if it has no assignee",
    )
    project: Literal["ignore", "report"] = setting(
        default="ignore",
        description="`report` adds a note with the issue's status in its projects; one more "
        "request",
    )
    project_status: str | None = setting(
        default=None,
        description="Status to set in each project of the issue that has it, as "
        "`--project-status`. The token needs the right to write to projects",
    )


class GithubSettings(Table):
    """The addresses of API and website, and the repositories."""

    api_url: _WebAddress = setting(
        default=GITHUB_API,
        description="Address for requests; https://HOST/api/v3 for GitHub Enterprise Server",
    )
    web_url: _WebAddress = setting(
        default=GITHUB_WEB,
        description="Address of issues in a browser, which identifies them. Set it together "
        "with `api_url`",
    )
    repository: _Repository | None = setting(
        default=None,
        description="Repository for new issues, as OWNER/NAME. Its issues can be linked",
    )
    repositories: tuple[_Repository, ...] = setting(
        default=(), description="Further repositories whose issues can be linked, as OWNER/NAME"
    )

    on_reopen: OnReopen = setting(
        default=OnReopen(), description="Further changes to a reopened issue"
    )

    def __post_init__(self) -> None:
        # Otherwise issue 4 of a company's server would be read and changed on github.com.
        if self.web_url != GITHUB_WEB and "api_url" not in self.model_fields_set:
            raise ValueError(
                f"web_url is {self.web_url}, so api_url has to be set as well"
                f" (on GitHub Enterprise Server {self.web_url}/api/v3)"
            )

    @property
    def base_url(self) -> str:
        """The base address of requests."""
        return self.api_url

    @property
    def target_base(self) -> str:
        """The address below which repositories have their names."""
        return self.api_url.removesuffix("/api/v3")

    @property
    def target(self) -> str | None:
        """The repository of new issues."""
        return self.repository

    @property
    def targets(self) -> tuple[str, ...]:
        """All repositories that links may point to."""
        first = filter(None, [self.repository])
        return tuple(
            {self._spellings()[name.casefold()]: 0 for name in (*first, *self.repositories)}
        )

    def recognise(self, url: str) -> ItemRef | None:
        """The issue or pull request at a pasted address; None for others."""
        try:
            parts = urlsplit(url.strip())
            at_home = _origin(parts) == _origin(urlsplit(self.web_url))
        except ValueError:
            return None
        if not at_home:
            return None
        prefix = urlsplit(self.web_url).path
        if not parts.path.startswith(f"{prefix}/"):
            return None
        if match := _PATH.fullmatch(parts.path.removeprefix(prefix)):
            target, kind, number = filter(None, match.groups())
            return self.ref(target, int(number), kind=kind)
        beside = parse_qs(parts.query).get("issue", [""])[0]
        if match := _ISSUE_QUERY.fullmatch(beside):
            return self.ref(match[1].replace("|", "/"), int(match[2]))
        return None

    def locate(self, item: str, url: str | None) -> ItemRef:
        """The issue of a link; without an address, in `repository`.

        Raises:
            ConfigError: its repository is unknown.
        """
        if url is not None:
            ref = self.recognise(url)
            if ref is None:
                raise _unlocated(f"{url} is not the address of an issue under {self.web_url}")
            return ref
        match = _ISSUE_ID.fullmatch(item.strip())
        if match is None:
            raise _unlocated(f"{item!r} is not the number of an issue")
        target = match[1] or self.repository
        if target is None:
            raise _unlocated(f"issue {match[2]} has no address, and no repository is configured")
        return self.ref(target, int(match[2]))

    def allows(self, ref: ItemRef) -> bool:
        """Whether the issue belongs to `repository` or one of `repositories`."""
        return ref.target.casefold() in self._spellings()

    def name(self, ref: ItemRef) -> str:
        """The issue's name for people: octo/widgets#4."""
        return f"{ref.target}#{ref.id}"

    def ref(self, target: str, number: int, *, kind: str = "issues") -> ItemRef:
        """Issue `number` of `target`, in the configuration's spelling if any.

        Args:
            kind: the word of its address; "pull" for a pull request.
        """
        # GitHub ignores case; one spelling makes one identity.
        spelled = self._spellings().get(target.casefold(), target)
        url = f"{self.web_url}/{spelled}/{kind}/{number}"
        return ItemRef(tracker="github", target=spelled, id=str(number), url=url)

    def _spellings(self) -> dict[str, str]:
        configured = (*self.repositories, *filter(None, [self.repository]))
        return {name.casefold(): name for name in configured}


def _origin(parts: SplitResult) -> tuple[str | None, int | None]:
    # Without the scheme: http://github.com/... is the same issue.
    usual = _DEFAULT_PORTS.get(parts.scheme)
    if usual is None:
        raise ValueError(f"no web address: {parts.scheme}")
    return parts.hostname, None if parts.port == usual else parts.port


def _unlocated(problem: str) -> ConfigError:
    return ConfigError(
        (problem,),
        where=_SECTION,
        hint="set web_url and repository, or link the issue again by its address",
    )
