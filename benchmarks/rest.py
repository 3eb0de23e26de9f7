"""The requests of a reopen on three trackers in parallel, with `requests` alone.

    python -m benchmarks.rest ADDRESSES NUMBER

All addresses are known, as with warm caches; nothing is recorded, checked or sent again. Labels are
written as a set, in one request with others where that is possible.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING, Any

import requests

if TYPE_CHECKING:
    from collections.abc import Mapping

_REASON = "Reopened: something was forgotten"
_LABEL, _OLD = "reopened", "completed"
_TIMEOUT = 10


def github(at: Mapping[str, str], number: str) -> None:
    """Three requests: read, change state and labels, comment."""
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {at['token']}"
        url = f"{at['api']}/repos/octo/widgets/issues/{number}"
        names = [label["name"] for label in _sent(session, "GET", url)["labels"]]
        _sent(session, "PATCH", url, {"state": "open", "labels": _relabelled(names)})
        _sent(session, "POST", f"{url}/comments", {"body": _REASON})


def ado(at: Mapping[str, str], number: str) -> None:
    """Two requests: read, change everything."""
    with requests.Session() as session:
        session.auth = ("", at["token"])
        url = f"{at['organization']}/_apis/wit/workItems/{number}?api-version=7.1"
        tags = _sent(session, "GET", url)["fields"].get("System.Tags", "")
        fields = {
            "System.State": "Active",
            "System.Tags": "; ".join(_relabelled(tags.split("; "))),
            "System.History": _REASON,
        }
        steps = [{"op": "add", "path": f"/fields/{n}", "value": v} for n, v in fields.items()]
        session.headers["Content-Type"] = "application/json-patch+json"
        _sent(session, "PATCH", url, steps)


def jira(at: Mapping[str, str], number: str) -> None:
    """Three requests: read with transitions, take one, comment with the labels."""
    with requests.Session() as session:
        session.auth = (at["email"], at["token"])
        url = f"{at['site']}/rest/api/3/issue/SCRUM-{number}"
        issue = _sent(session, "GET", f"{url}?expand=transitions")
        to = next(
            move for move in issue["transitions"] if move["to"]["statusCategory"]["key"] != "done"
        )
        _sent(session, "POST", f"{url}/transitions", {"transition": {"id": to["id"]}})
        text = [{"type": "paragraph", "content": [{"type": "text", "text": _REASON}]}]
        comment = {"add": {"body": {"type": "doc", "version": 1, "content": text}}}
        labels = {"set": _relabelled(issue["fields"]["labels"])}
        _sent(session, "PUT", url, {"update": {"comment": [comment], "labels": [labels]}})


def _relabelled(labels: list[str]) -> list[str]:
    return [*(label for label in labels if label and label != _OLD), _LABEL]


def _sent(session: requests.Session, method: str, url: str, body: Any = None) -> Any:
    answer = session.request(
        method,
        url,
        data=None if body is None else json.dumps(body),
        headers={} if "Content-Type" in session.headers else {"Content-Type": "application/json"},
        timeout=_TIMEOUT,
    )
    answer.raise_for_status()
    return answer.json() if answer.content else None


def main() -> int:
    """Reopen all three in parallel."""
    addresses, number = json.loads(sys.argv[1]), sys.argv[2]
    failed: list[BaseException] = []

    def work(name: str) -> None:
        try:
            _EACH[name](addresses[name], number)
        except Exception as error:  # noqa: BLE001  (shown below)
            failed.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in _EACH]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in failed:
        print(error, file=sys.stderr)
    return len(failed)


_EACH = {"github": github, "ado": ado, "jira": jira}

if __name__ == "__main__":
    sys.exit(main())
