#!/usr/bin/env bash
# Package: pypi roundup
# Version: 2.6.0
# Guess: an issue that was deleted is answered by REST as one that never was, with 404
# Behaviour: DELETE retires it: it is in no list, but a read answers 200 with all its fields and without
#   a word of it; only a write says so, with 409 "Requested item is retired"
# Relies: plugins/unlatch_example/plugin.py
# Test: tests/roundup_plugin/test_plugin.py::test_retired_issue_is_not_found
source "$(dirname "$0")/common.sh"
pip_install roundup==2.6.0
project
port=$(python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
admin() { printf 'y\ny\ny\n' | roundup-admin -i "$WORK/tracker" "$@" >"$WORK/log" 2>&1; }
mkdir "$WORK/tracker"
admin install classic sqlite
sed -i -E "s|^#?(web) = .*|\1 = http://127.0.0.1:$port/tracker/|; s|^#?(domain) = .*|\1 = example.com|; s|^#?(host) = .*|\1 = localhost|" "$WORK/tracker/config.ini"
admin initialise sesame
user=()
if [ "$(id -u)" = 0 ]; then user=(-u root); fi
roundup-server -n 127.0.0.1 -p "$port" -t none "${user[@]}" "tracker=$WORK/tracker" >"$WORK/log" 2>&1 &
cat >"$WORK/try.py" <<'PYTHON'
import base64, json, sys, time
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

host = f"http://127.0.0.1:{sys.argv[1]}"
headers = {
    "Authorization": "Basic " + base64.b64encode(b"admin:sesame").decode(),
    "Content-Type": "application/json",
    "X-Requested-With": "rest",
    "Origin": host,
    "Referer": f"{host}/tracker/",
}
opener = build_opener(ProxyHandler({}))


def ask(method, path, body=None, **more):
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"{host}/tracker/rest/data{path}", data, headers | more, method=method)
    try:
        with opener.open(request, timeout=30) as response:
            return response.status, response.headers["ETag"], json.load(response)["data"]
    except HTTPError as error:
        return error.code, None, json.load(error)["error"]["msg"]


for _ in range(100):
    try:
        ask("GET", "/status")
        break
    except URLError:
        time.sleep(0.1)
issue = ask("POST", "/issue", {"title": "T", "status": "resolved"})[2]["id"]
_, etag, before = ask("GET", f"/issue/{issue}")
print("delete:", ask("DELETE", f"/issue/{issue}", **{"If-Match": etag})[0])
status, etag, after = ask("GET", f"/issue/{issue}")
print("read:", status, "the same fields:", before["attributes"] == after["attributes"])
print("listed:", ask("GET", f"/issue?id={issue}")[2]["@total_size"])
print("write:", *ask("PUT", f"/issue/{issue}", {"status": "chatting"}, **{"If-Match": etag})[::2])
print("one that never was:", *ask("GET", "/issue/99")[::2])
PYTHON
python "$WORK/try.py" "$port" >"$WORK/seen"
seen <<'END'
delete: 200
read: 200 the same fields: True
listed: 0
write: 409 Requested item is retired
one that never was: 404 no such issue 99
END
