#!/usr/bin/env bash
# Package: pypi azure-devops
# Version: 7.1.0b4
# Guess: a list that the service cuts has a `continuation_token`, as in 5.1, to ask for the rest
# Behaviour: `get_projects` returns the first 100 as a plain list; the header x-ms-continuationtoken is
#   dropped, so nothing tells that there are more, and its own argument continuation_token has no source;
#   only a list whose token is in the body, like that of comments, has it
# Relies: plugins/unlatch_ado/api/client.py
# Test: tests/unlatch_ado/test_plugin.py::test_a_comment_is_found_on_any_page
source "$(dirname "$0")/common.sh"
pip_install azure-devops==7.1.0b4
project
service
cat >"$WORK/try.py" <<'PYTHON'
import service
from azure.devops.connection import Connection
from msrest.authentication import BasicAuthentication

VERSIONS = {"resourceVersion": 4, "minVersion": "1.0", "maxVersion": "7.1", "releasedVersion": "7.1"}
PROJECTS = {"id": "603fe2ac-9723-48b9-88ad-09305aa6c6e1", "area": "core", "resourceName": "projects"}
COMMENTS = {"id": "608aac0a-32e1-4493-a863-b9cf4566d257", "area": "wit", "resourceName": "comments"}
AREAS = {"id": "e81700f7-3be2-46de-8624-2eb35882fcaa", "area": "Location", "resourceName": "ResourceAreas"}
ROUTES = [
    PROJECTS | VERSIONS | {"routeTemplate": "_apis/{resource}/{*projectId}"},
    COMMENTS | VERSIONS | {"routeTemplate": "{project}/_apis/{area}/workItems/{workItemId}/{resource}"},
    AREAS | VERSIONS | {"routeTemplate": "_apis/{resource}/{areaId}"},
]


def answer(method, path, query, body):
    if method == "OPTIONS":
        return {"value": ROUTES, "count": len(ROUTES)}, {}
    if path.endswith("ResourceAreas"):
        return {"value": [], "count": 0}, {}
    start = int(query.get("continuationToken", 0))
    if path.endswith("comments"):
        more = {"comments": [{"id": start + 1, "text": "one"}], "continuationToken": "1"}
        return {"totalCount": 2, "count": 1, **more}, {}
    found = [{"id": f"{number:08}-0000-0000-0000-000000000000"} for number in range(start, min(start + 100, 150))]
    headers = {} if start else {"x-ms-continuationtoken": "100"}
    return {"value": found, "count": len(found)}, headers


url, requests = service.start(answer)
connection = Connection(base_url=f"{url}/org", creds=BasicAuthentication("", "none"))
client = connection.clients_v7_1.get_core_client()
for options in ({}, {"continuation_token": "100"}):
    found = client.get_projects(**options)
    token = getattr(found, "continuation_token", None)
    print(options, type(found).__name__, len(found), "token", token)
found = connection.clients_v7_1.get_work_item_tracking_client().get_comments("widgets", 7, top=1)
print("comments:", type(found).__name__, len(found.comments), "token", found.continuation_token)
PYTHON
AZURE_DEVOPS_CACHE_DIR="$WORK/cache" python "$WORK/try.py" >"$WORK/seen"
seen <<'END'
{} list 100 token None
{'continuation_token': '100'} list 50 token None
comments: CommentList 1 token 1
END
