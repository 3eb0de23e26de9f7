"""The three plugins with their real SDKs, over a transport to anywhere."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unlatch.spi import Change, Draft, ItemRef, Scheme, SyncPlugin
from unlatch.spi.text import Span
from unlatch.transport import Transport, for_tests
from unlatch_ado.plugin import AdoPlugin
from unlatch_ado.settings import AdoSettings
from unlatch_github.plugin import GithubPlugin
from unlatch_github.settings import GithubSettings
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.settings import JiraSettings

NAMES = ("github", "ado", "jira")
CREATE = Change(
    op="01JC0000000000000000000001",
    draft=Draft("0007-smart", "Smart discipline", "feature", ((Span("As planned"),),)),
)


@dataclass(frozen=True, slots=True)
class Tracker:
    """Make a plugin and references to its items."""

    settings: Callable[[str], Any]
    plugin: Callable[[Any, Transport], SyncPlugin]
    item: Callable[[Any], ItemRef]
    scheme: Scheme = Scheme.BEARER
    user: str | None = None


TRACKERS = {
    "github": Tracker(
        lambda url: GithubSettings(api_url=f"{url}/api/v3", web_url=url, repository="octo/widgets"),
        GithubPlugin,
        lambda settings: settings.ref("octo/widgets", 4),
    ),
    "ado": Tracker(
        lambda url: AdoSettings(organization_url=f"{url}/fabrikam", project="widgets"),
        AdoPlugin,
        lambda settings: settings.ref("widgets", "101"),
        Scheme.BASIC,
    ),
    "jira": Tracker(
        lambda url: JiraSettings(site=url, project="SCRUM", api_version=3),
        JiraPlugin,
        lambda settings: settings.ref("SCRUM-28"),
        Scheme.BASIC,
        "me@corp.example",
    ),
}


def opened(name: str, url: str, *, token: str, **options: Any) -> tuple[SyncPlugin, ItemRef]:
    """A plugin whose requests go to `url`, and an item of its own."""
    tracker = TRACKERS[name]
    settings = tracker.settings(url)
    transport = for_tests(
        name, settings.base_url, token=token, scheme=tracker.scheme, user=tracker.user, **options
    )
    return tracker.plugin(settings, transport), tracker.item(settings)
