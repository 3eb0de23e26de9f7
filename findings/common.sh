# Sourced by each finding: a folder and a home of its own, pinned packages, a scripted model, and
# the comparison. Exit 1: the tool behaves otherwise than recorded; 2: it could not be installed.
set -euo pipefail
WORK=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$WORK"' EXIT

# cannot_run WHAT: with the log of the package manager, if there is one.
cannot_run() {
  echo "not installed: $1" >&2
  cat "$WORK/install.log" >&2 2>/dev/null || true
  exit 2
}
command -v git >/dev/null || cannot_run git

# npm_install PACKAGE@VERSION...: without their scripts.
npm_install() {
  npm </dev/null install --prefix "$WORK/npm" --ignore-scripts --no-audit --no-fund --loglevel=error \
    "$@" >"$WORK/install.log" 2>&1 || cannot_run "$*"
  PATH="$WORK/npm/node_modules/.bin:$PATH"
}

# pip_install PACKAGE==VERSION...
pip_install() {
  { python3 -I -m venv "$WORK/venv" && "$WORK/venv/bin/python" -I -m pip install --quiet "$@" </dev/null; } \
    >"$WORK/install.log" 2>&1 || cannot_run "$*"
  PATH="$WORK/venv/bin:$PATH"
}

# project: an empty git repository as the current folder, and an empty home.
project() {
  mkdir -p "$WORK/home" "$WORK/project"
  export HOME="$WORK/home" NO_COLOR=1 DO_NOT_TRACK=1 TZ=UTC LC_ALL=C.UTF-8
  export GIT_AUTHOR_NAME=Dana GIT_AUTHOR_EMAIL=dana@example.com
  export GIT_COMMITTER_NAME=Dana GIT_COMMITTER_EMAIL=dana@example.com
  cd "$WORK/project"
  git init -q -b main .
  git commit -q --allow-empty -m begin
}

# alone NAME=VALUE... COMMAND: without the variables of the caller, which agents read, and with
# their temporary files in $WORK.
alone() {
  mkdir -p "$WORK/tmp"
  env -i HOME="$HOME" PATH="$PATH" TMPDIR="$WORK/tmp" CLAUDE_CODE_TMPDIR="$WORK/tmp" TERM=dumb NO_COLOR=1 TZ=UTC LC_ALL=C.UTF-8 "$@" </dev/null
}

# seen <<END ... END: compare what stands in $WORK/seen with what was recorded.
seen() {
  cat >"$WORK/recorded"
  diff -u --label recorded --label now "$WORK/recorded" "$WORK/seen" >&2 || exit 1
  cat "$WORK/seen"
}

# model <<END ... END: a stand-in for the API of a model at $MODEL, with prepared replies as JSON:
# {"text": ""} or {"call": [name, arguments]}, each with "usage": [in, out] where it matters; with
# "after": NAME it waits until the file $WORK/NAME exists. Requests are lines of $WORK/asked.
model() {
  cat >"$WORK/replies.json"
  cat >"$WORK/model.py" <<'PYTHON'
import json, os, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

work = sys.argv[1]
replies = iter(json.load(open(f"{work}/replies.json")))


def events(*values):
    return "".join(f"event: {v.get('type')}\ndata: {json.dumps(v)}\n\n" for v in values)


def anthropic(part, tokens, key):
    start = {"id": f"msg_{key}", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    start["usage"] = {"input_tokens": tokens[0], "output_tokens": 1}
    if "call" in part:
        block = {"type": "tool_use", "id": f"toolu_{key}", "name": part["call"][0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(part["call"][1])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": part["text"]}
    stop = {"stop_reason": "tool_use" if "call" in part else "end_turn", "stop_sequence": None}
    return events(
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": tokens[1]}},
        {"type": "message_stop"},
    )


def responses(part, tokens, key):
    if "call" in part:
        item = {"type": "function_call", "id": f"f{key}", "call_id": f"call_{key}", "name": part["call"][0]}
        item["arguments"] = json.dumps(part["call"][1])
    else:
        text = {"type": "output_text", "text": part["text"], "annotations": []}
        item = {"type": "message", "role": "assistant", "id": f"m{key}", "content": [text]}
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": sum(tokens)}
    done = {"id": f"r{key}", "status": "completed", "output": [item], "usage": usage}
    created = {"type": "response.created", "response": {"id": f"r{key}"}}
    finished = {"type": "response.output_item.done", "output_index": 0, "item": item}
    return events(created, finished, {"type": "response.completed", "response": done})


def gemini(part, tokens, key):
    call = {"functionCall": {"name": part["call"][0], "args": part["call"][1]}} if "call" in part else part
    usage = {"promptTokenCount": tokens[0], "candidatesTokenCount": tokens[1], "totalTokenCount": sum(tokens)}
    answer = {"content": {"role": "model", "parts": [call]}, "finishReason": "STOP"}
    return f"data: {json.dumps({'candidates': [answer], 'usageMetadata': usage})}\n\n"


def chat(part, tokens, key):
    delta = {"role": "assistant", "content": part.get("text")}
    if "call" in part:
        function = {"name": part["call"][0], "arguments": json.dumps(part["call"][1])}
        delta["tool_calls"] = [{"index": 0, "id": f"call_{key}", "type": "function", "function": function}]
    stop = "tool_calls" if "call" in part else "stop"
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    base = {"id": f"c{key}", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    first = {**base, "choices": [{"index": 0, "delta": delta}]}
    last = {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": usage}
    return f"data: {json.dumps(first)}\n\ndata: {json.dumps(last)}\n\ndata: [DONE]\n\n"


SHAPES = {r"/v1/messages\?": anthropic, "/responses$": responses, "streamGenerateContent": gemini}
SHAPES["/chat/completions$"] = chat


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *values):
        pass

    def do_GET(self):
        self.answer(404, b"{}")

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        shape = next((SHAPES[one] for one in SHAPES if re.search(one, self.path)), None)
        if shape is None:
            return self.answer(404, b"{}")
        if "You are a title generator" in body:
            part = {"text": "A title"}
        else:
            with open(f"{work}/asked", "a") as asked:
                asked.write(json.dumps(json.loads(body)) + "\n")
            part = next(replies, {"text": "no reply is left"})
        while not os.path.exists(f"{work}/{part.get('after', '')}"):
            time.sleep(0.05)
        text = shape({k: part[k] for k in part.keys() & {"text", "call"}}, part.get("usage", [12, 9]), id(part))
        self.answer(200, text.encode(), "text/event-stream")

    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
    with open(f"{work}/port.new", "w") as port:
        port.write(str(server.server_address[1]))
    os.rename(f"{work}/port.new", f"{work}/port")
    server.serve_forever()
PYTHON
  python3 -I "$WORK/model.py" "$WORK" &
  until [ -s "$WORK/port" ]; do sleep 0.1; done
  MODEL="http://127.0.0.1:$(<"$WORK/port")"
}

# service: a module `service` in $WORK for the scripts there. `start(answer)` serves on loopback:
# `answer(method, path, query, body)` gives a JSON value and headers; returns the URL, and the list
# of the requests.
service() {
  cat >"$WORK/service.py" <<'PYTHON'
import json, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


def start(answer):
    requests = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *values):
            pass

        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            url = urlsplit(self.path)
            requests.append((self.command, self.path, body))
            value, headers = answer(self.command, url.path, dict(parse_qsl(url.query)), body)
            content = json.dumps(value).encode()
            self.send_response(200)
            for name, text in {"content-type": "application/json", **headers}.items():
                self.send_header(name, text)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_GET

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}", requests
PYTHON
}
