#!/usr/bin/env bash
# Package: pypi PyGithub
# Version: 2.10.0
# Guess: after a change, an issue has the tracker's answer: its attributes, its labels, `raw_data`
# Behaviour: `edit` updates the attributes and leaves `raw_data` as it was read; `add_to_labels` drops
#   the answer, so `labels` lacks the new one until `update()`, and no request says so
# Relies: plugins/unlatch_github/api/client.py
# Test: tests/unlatch_github/test_plugin.py::test_a_label_that_stays_or_is_left_out_silently_is_reported
source "$(dirname "$0")/common.sh"
pip_install PyGithub==2.10.0
project
service
cat >"$WORK/try.py" <<'PYTHON'
import json

import github
import service

issue = {"id": 4, "number": 4, "title": "T", "state": "closed", "labels": [{"name": "completed"}]}


def answer(method, path, query, body):
    if path.endswith("/labels"):
        issue["labels"] += [{"name": name} for name in json.loads(body)]
        return issue["labels"], {}
    if path.endswith("/issues/4"):
        issue.update(json.loads(body) if method == "PATCH" else {})
        return issue | {"url": f"{url}/repos/octo/widgets/issues/4"}, {}
    return {"id": 1, "name": "widgets", "url": f"{url}/repos/octo/widgets"}, {}


url, requests = service.start(answer)
found = github.Github(base_url=url, auth=github.Auth.Token("none"), retry=None).get_repo("octo/widgets").get_issue(4)
requests.clear()
found.edit(state="open")
found.add_to_labels("reopened")
print("sent:", *(f"{method} {path}" for method, path, _ in requests))
print("state:", found.state, "raw_data:", found.raw_data["state"])
print("labels:", [label.name for label in found.labels], "here:", [label["name"] for label in issue["labels"]])
found.update()
print("after update:", found.raw_data["state"], [label.name for label in found.labels])
PYTHON
python "$WORK/try.py" >"$WORK/seen"
seen <<'END'
sent: PATCH /repos/octo/widgets/issues/4 POST /repos/octo/widgets/issues/4/labels
state: open raw_data: closed
labels: ['completed'] here: ['completed', 'reopened']
after update: open ['completed', 'reopened']
END
