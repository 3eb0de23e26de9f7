#!/usr/bin/env bash
# Package: pypi python-gitlab
# Version: 8.6.0
# Guess: `save()` sends assigned attributes alone, so a label appended to `issue.labels` is not sent
# Behaviour: the append is noticed, and the whole list is sent: labels that others added since the issue
#   was read are removed; without a change nothing is sent
# Relies: docs/writing-a-plugin.md
# Test: tests/testing/test_broken_promises.py::test_a_broken_promise_is_named
source "$(dirname "$0")/common.sh"
pip_install python-gitlab==8.6.0
project
service
cat >"$WORK/try.py" <<'PYTHON'
import json

import gitlab
import service

labels = ["bug"]


def answer(method, path, query, body):
    if method == "PUT":
        labels[:] = json.loads(body).get("labels", labels)
    return {"id": 70, "iid": 7, "project_id": 1, "title": "T", "labels": [*labels]}, {}


url, requests = service.start(answer)
issue = gitlab.Gitlab(url, private_token="none").projects.get(1, lazy=True).issues.get(7)
labels.append("urgent")  # by somebody else
requests.clear()
issue.save()
print("unchanged:", requests)
issue.labels.append("reopened")
issue.save()
print("appended:", requests, "then", labels)
PYTHON
python "$WORK/try.py" >"$WORK/seen"
seen <<'END'
unchanged: []
appended: [('PUT', '/api/v4/projects/1/issues/7', '{"labels": ["bug", "reopened"]}')] then ['bug', 'reopened']
END
