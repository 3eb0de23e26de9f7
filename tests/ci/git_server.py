"""A git server over HTTP that asks for a header, as a host asks for a token."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

AUTHORIZATION = "basic eDp0MGtlbg=="  # x:t0ken


@contextmanager
def serve(
    folder: Path, requests: list[str], *, authorization: str = AUTHORIZATION
) -> Iterator[str]:
    """Serve the repositories in a folder; yields the address, and notes the paths of requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            if self.headers.get("Authorization", "").casefold() != authorization.casefold():
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self._answer(_run_backend(folder, self))

        def do_POST(self) -> None:
            self.do_GET()

        def _answer(self, output: bytes) -> None:
            head, _, body = output.partition(b"\r\n\r\n")
            lines = [line.decode().partition(": ")[::2] for line in head.split(b"\r\n")]
            status = next((value for name, value in lines if name == "Status"), "200 OK")
            self.send_response(int(status.split()[0]))
            for name, value in lines:
                if name != "Status":
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _run_backend(folder: Path, request: BaseHTTPRequestHandler) -> bytes:
    address = urlsplit(request.path)
    content = request.rfile.read(int(request.headers.get("Content-Length", "0")))
    done = subprocess.run(
        ["git", "http-backend"],
        input=content,
        env={
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "REMOTE_USER": "x",
            "REQUEST_METHOD": request.command,
            "PATH_INFO": address.path,
            "QUERY_STRING": address.query,
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(content)),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        },
        capture_output=True,
        check=True,
    )
    return done.stdout
