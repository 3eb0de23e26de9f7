"""The control: a job that posts and then records, as plain jobs do, in place of `unlatch sync`.

It stands where unlatch does, knows the comments of GitHub's items alone, and has no markers: what
it posted before it was killed is posted again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path

import requests

_NOTHING: dict[str, object] = {name: [] for name in ("increments", "items", "compared", "moves")}


def main() -> None:
    """Post the pending comments of each increment, then push that they are posted."""
    api = re.search(r'api_url = "([^"]+)"', Path(".unlatch/config.toml").read_text())
    assert api
    for file in sorted(Path(".unlatch/increments").glob("*/metadata.json")):
        data = json.loads(file.read_text())
        for operation in data.pop("pending", ()):
            if operation["tracker"] == "github":
                _post(api[1], operation["item"], data["reopenHistory"][0]["reason"])
        file.write_text(json.dumps(data, indent=2) + "\n")
    _git("commit", "--quiet", "--all", "--message", "Record what was posted")
    _git("push", "--quiet", "origin", "HEAD")
    document = {
        "schema": "unlatch.sync/1",
        **_NOTHING,
        "commit": None,
        "retry": "none",
        "retryAt": None,
    }
    print(json.dumps({**document, "exitCode": 0}))  # noqa: T201


def _post(api: str, url: str, text: str) -> None:
    name, number = re.findall(r"/([^/]+/[^/]+)/issues/(\d+)$", url)[0]
    headers = {"Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}"}
    place = f"{api}/repos/{name}/issues/{number}/comments"
    while True:
        answer = requests.post(place, json={"body": text}, headers=headers, timeout=30)
        if answer.status_code != requests.codes.forbidden:
            answer.raise_for_status()
            return
        time.sleep(float(answer.headers["Retry-After"]))


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=False, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
