"""The answers of trackers to the requests of a plugin, through its SDK."""

import io
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from unittest.mock import patch

import requests
import urllib3
from requests.adapters import HTTPAdapter
from tests.fuzz.target import SEPARATOR, Target

from unlatch.errors import UnlatchError
from unlatch.spi import Change, Goal, ItemRef, Scheme, Snapshot, Span, SyncPlugin
from unlatch.transport import Transport, for_tests
from unlatch_ado.plugin import AdoPlugin
from unlatch_ado.settings import AdoSettings
from unlatch_github.plugin import GithubPlugin
from unlatch_github.settings import GithubSettings
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.settings import JiraSettings
from unlatch_sandbox import Sandbox

_TITLE = "Smart discipline"
_OP = "01JC0000000000000000000001"
_REOPEN = Change(
    op=_OP,
    goal=Goal.OPEN,
    comment=((Span("More to do"),),),
    add_labels=("reopened",),
    remove_labels=("completed",),
)
_HEADERS = ("Content-Type", "ETag", "Link", "Retry-After", "X-RateLimit-Remaining", "Location")


@cache
def _cache() -> Path:
    return Path(mkdtemp(prefix="unlatch-fuzz-"))


def _github(address: str, transport: Callable[..., Transport]) -> tuple[SyncPlugin, ItemRef]:
    where = {"api_url": f"{address}/api/v3", "web_url": address, "repository": "octo/widgets"}
    settings = GithubSettings.model_validate(where)
    return GithubPlugin(settings, transport(settings.base_url)), settings.ref("octo/widgets", 1)


def _ado(address: str, transport: Callable[..., Transport]) -> tuple[SyncPlugin, ItemRef]:
    where = {"organization_url": f"{address}/fabrikam", "project": "widgets"}
    settings = AdoSettings.model_validate(where)
    return AdoPlugin(settings, transport(settings.base_url)), settings.ref("widgets", "1")


def _jira(address: str, transport: Callable[..., Transport]) -> tuple[SyncPlugin, ItemRef]:
    where = {"site": address, "project": "SCRUM", "api_version": 3}
    settings = JiraSettings.model_validate(where)
    connected = transport(address, user="dana@example.com", scheme=Scheme.BASIC)
    return JiraPlugin(settings, connected), settings.ref("SCRUM-1")


_PLUGINS = {"github": _github, "ado": _ado, "jira": _jira}


def _use(
    plugin: SyncPlugin, item: ItemRef, answers: Callable[[], bool] = lambda: True
) -> Snapshot | None:
    """All that a command does with an item, as long as there are answers.

    Returns how it was read.
    """
    snapshot = None
    with suppress(UnlatchError):
        snapshot = plugin.read(item)
    for use in (
        lambda: plugin.read_many([item]),
        lambda: plugin.write(plugin.read(item, _REOPEN), _REOPEN),
        lambda: plugin.find_ops(item),
        lambda: plugin.read_history(item),
        lambda: plugin.find_comments(item, _OP),
        lambda: plugin.read_background([item]),
    ):
        if not answers():
            break
        with suppress(UnlatchError):
            use()
    return snapshot


class _Answers:
    """The adapter below ours: it answers with the parts of an input, and then not at all."""

    def __init__(self, data: bytes) -> None:
        self._left = data.split(SEPARATOR)

    def left(self) -> bool:
        return bool(self._left)

    def send(
        self, _: HTTPAdapter, request: requests.PreparedRequest, **options: Any
    ) -> requests.Response:
        if not self._left:
            raise requests.ConnectionError
        head, body = (*self._left.pop(0).split(b"\n", 1), b"")[:2]
        status, written = (*head.split(b" ", 1), b"")[:2]
        raw = urllib3.HTTPResponse(
            body=io.BytesIO(body),
            headers=_headers(written),
            status=int(status) if len(status) == 3 and status.isdigit() else 200,
            preload_content=False,
        )
        return HTTPAdapter().build_response(request, raw)


def _headers(written: bytes) -> dict[str, str]:
    try:
        headers = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    pairs = headers.items() if isinstance(headers, dict) else ()
    # No line of HTTP has more.
    return {
        name: value
        for name, value in pairs
        if isinstance(value, str) and (name + value).isascii() and (name + value).isprintable()
    }


@contextmanager
def _sending(send: Callable[..., requests.Response]) -> Iterator[None]:
    def replaced(adapter: HTTPAdapter, request: requests.PreparedRequest, **options: Any) -> Any:
        return send(adapter, request, **options)

    with patch.object(HTTPAdapter, "send", replaced):
        yield


def _read(tracker: str, data: bytes) -> Snapshot | None:
    for path in _cache().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    def transport(address: str, **options: Any) -> Transport:
        return for_tests(tracker, address, token="t" * 20, cache=_cache(), **options)

    plugin, item = _PLUGINS[tracker]("https://tracker.example.com", transport)
    answers = _Answers(data)
    with _sending(answers.send):
        return _use(plugin, item, answers.left)


def _recorded(tracker: str, use: Callable[[SyncPlugin, ItemRef], object]) -> bytes:
    """The answers of the sandbox to a use of an item."""
    answers: list[bytes] = []
    send = HTTPAdapter.send

    def recorded(
        adapter: HTTPAdapter, request: requests.PreparedRequest, **options: Any
    ) -> requests.Response:
        response = send(adapter, request, **options)
        answers.append(_written(response.status_code, response.headers, response.content))
        return response

    with Sandbox() as box, _sending(recorded):
        use(*_at_sandbox(box, tracker))
    return SEPARATOR.join(answers)


def _written(status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    kept = {name: headers[name] for name in _HEADERS if name in headers}
    return f"{status} {json.dumps(kept)}\n".encode() + body


def _at_sandbox(box: Sandbox, tracker: str) -> tuple[SyncPlugin, ItemRef]:
    if tracker == "github":
        box.github.add_issue(title=_TITLE, state="closed", labels=("completed",))
        address, token, user = box.github.web_url, box.github.token, None
    elif tracker == "ado":
        box.ado.add_work_item(id=1, title=_TITLE, state="Closed", tags=("completed",))
        address, token, user = box.ado.organization_url.rpartition("/")[0], box.ado.token, None
    else:
        box.jira.add_issue(type="Epic", summary=_TITLE, status="Done", labels=("completed",))
        address, token, user = box.jira.site, box.jira.token, box.jira.email

    def transport(address: str, **options: Any) -> Transport:
        return for_tests(tracker, address, token=token, **{**options, "user": user})

    return _PLUGINS[tracker](address, transport)


def _shown(snapshot: Snapshot) -> tuple[str, tuple[str, ...]]:
    return snapshot.item.title, snapshot.item.labels


def _target(tracker: str) -> Target:
    return Target(
        lambda data: _read(tracker, data),
        # Few inputs change what the read alone needs of all the answers.
        lambda: [_recorded(tracker, use) for use in (_use, lambda plugin, item: plugin.read(item))],
        lambda snapshot: snapshot is not None and _shown(snapshot) != (_TITLE, ("completed",)),
    )


TARGETS = {tracker: _target(tracker) for tracker in _PLUGINS}
