#!/usr/bin/env bash
# Package: pypi jira
# Version: 3.10.5
# Guess: `comments()` reads all pages, as `search_issues(maxResults=False)` and other lists do
# Behaviour: it sends one request without startAt and returns the first page: 50 of 70 comments, as a
#   plain list that does not say so
# Relies: plugins/unlatch_jira/api/client.py
# Test: tests/unlatch_jira/test_plugin.py::test_our_comments_are_found_whoever_posted_them_on_every_page
source "$(dirname "$0")/common.sh"
pip_install jira==3.10.5
project
service
cat >"$WORK/try.py" <<'PYTHON'
import service
from jira import JIRA


def answer(method, path, query, body):
    if path.endswith("serverInfo"):
        return {"versionNumbers": [9, 12, 0], "deploymentType": "Server"}, {}
    start = int(query.get("startAt", 0))
    size = min(int(query.get("maxResults", 50)), 50)
    page = {"startAt": start, "maxResults": size, "total": 70}
    ids = [str(number) for number in range(start, min(70, start + size))]
    if path.endswith("/comment"):
        return page | {"comments": [{"id": id, "body": "text"} for id in ids]}, {}
    return page | {"issues": [{"id": id, "key": f"AB-{id}", "fields": {}} for id in ids]}, {}


url, requests = service.start(answer)
jira = JIRA(url, token_auth="none", max_retries=0)
for name, read in {
    "search_issues": lambda: jira.search_issues("project = AB", maxResults=False),
    "comments": lambda: jira.comments("AB-7"),
}.items():
    requests.clear()
    found = read()
    print(f"{name}: {len(found)} in {len(requests)} requests, {type(found).__name__}")
PYTHON
python "$WORK/try.py" >"$WORK/seen"
seen <<'END'
search_issues: 70 in 3 requests, ResultList
comments: 50 in 1 requests, list
END
