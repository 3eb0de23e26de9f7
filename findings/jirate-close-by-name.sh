#!/usr/bin/env bash
# Package: pypi jirate
# Version: 0.9.3
# Guess: `close` takes the transition to a status of the category done, whatever its name
# Behaviour: it looks for a status named "Closed" and knows no category: with "Done", or a name in
#   another language, nothing is sent, and the list of what was closed is empty, without an error
# Relies: plugins/unlatch_jira/workflow/choose.py
# Test: tests/unlatch_jira/workflow/test_choose.py::test_closing_takes_the_first_way_to_a_done_status
source "$(dirname "$0")/common.sh"
pip_install jirate==0.9.3
project
service
cat >"$WORK/try.py" <<'PYTHON'
import service
from jira import JIRA
from jirate.jboard import Jirate

sent = []


def answer(method, path, query, body):
    if path.endswith("serverInfo"):
        return {"versionNumbers": [9, 12, 0], "deploymentType": "Server"}, {}
    if path.endswith("/field"):
        return [], {}
    if path.endswith("/transitions") and method == "POST":
        sent.append(body)
        return {}, {}
    done = {"id": "3", "name": status, "statusCategory": {"key": "done"}}
    if path.endswith("/transitions"):
        return {"transitions": [{"id": "31", "name": "Close", "to": done}]}, {}
    fields = {"summary": "T", "status": {"id": "1", "name": "To Do"}, "subtasks": []}
    issue = {"id": "10", "key": "AB-7", "self": f"{url}/rest/api/2/issue/10", "fields": fields}
    page = {"issues": [issue], "total": 1, "startAt": 0, "maxResults": 50}
    return page if path.endswith("/search") else issue, {}


url, _ = service.start(answer)
board = Jirate(JIRA(url, token_auth="none", max_retries=0))
for status in ("Closed", "Done", "Geschlossen"):
    sent.clear()
    print(f"{status}:", [issue.key for issue in board.close("AB-7")], "sent", sent)
PYTHON
python "$WORK/try.py" >"$WORK/seen"
seen <<'END'
Closed: ['AB-7'] sent ['{"transition": {"id": "31"}}']
Done: [] sent []
Geschlossen: [] sent []
END
