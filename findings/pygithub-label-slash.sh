#!/usr/bin/env bash
# Package: pypi PyGithub
# Version: 2.10.0
# Guess: `remove_from_labels` escapes the label's name whole, as its name is one part of the path
# Behaviour: a blank is escaped and a slash is not, so for "area/core" the path has one part more;
#   `get_label` of the repository escapes both
# Relies: plugins/unlatch_github/api/paths.py
# Test: tests/unlatch_github/test_plugin.py::test_a_label_to_remove_is_one_part_of_the_path
source "$(dirname "$0")/common.sh"
pip_install PyGithub==2.10.0
project
service
cat >"$WORK/try.py" <<'PYTHON'
import service
from github import Auth, Github


def answer(method, path, query, body):
    if method == "DELETE":
        return [], {}
    return {"name": "area/core b", "number": 7, "url": f"{url}/repos/acme/widgets/issues/7"}, {}


url, requests = service.start(answer)
hub = Github(base_url=url, auth=Auth.Token("none"), retry=None, seconds_between_writes=0)
repository = hub.get_repo("acme/widgets")
issue = repository.get_issue(7)
issue.remove_from_labels("area/core b")
repository.get_label("area/core b").name
for method, path, _ in requests[-2:]:
    print(method, path)
PYTHON
python "$WORK/try.py" >"$WORK/seen"
seen <<'END'
DELETE /repos/acme/widgets/issues/7/labels/area/core%20b
GET /repos/acme/widgets/issues/7/labels/area%2Fcore%20b
END
