"""Every kind of answer that no tracker ought to give."""

import gzip
import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat

MEBIBYTE = 1 << 20
# In place of a piece of an answer: say nothing more, and keep the connection.
SILENCE = b"(silence)"
# Seconds between two bytes of an answer that drips.
DRIP = 0.05
_JSON = "application/json"


def _head(status: int = 200, *headers: str, kind: str = _JSON) -> bytes:
    lines = (f"HTTP/1.1 {status} Said", f"Content-Type: {kind}", *headers, "", "")
    return "\r\n".join(lines).encode("latin-1")


def _whole(body: bytes, *headers: str, status: int = 200, kind: str = _JSON) -> Iterable[bytes]:
    return [_head(status, f"Content-Length: {len(body)}", *headers, kind=kind), body]


def _endless(piece: bytes, *headers: str) -> Iterable[bytes]:
    return chain([_head(200, *headers)], repeat(piece))


def _dripping(text: bytes) -> Iterator[bytes]:
    """One byte at a time, each well within the read time-out."""
    for byte in text:
        time.sleep(DRIP)
        yield bytes([byte])


def _chunks(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def _limited(value: str, status: int = 429) -> Iterable[bytes]:
    return _whole(b'{"message": "slow down"}', f"Retry-After: {value}", status=status)


def _bomb(levels: int) -> bytes:
    body = gzip.compress(b" " * (64 * MEBIBYTE)) * 8
    for _ in range(levels - 1):
        body = gzip.compress(body)
    return body


def _empty_members() -> Iterator[bytes]:
    return repeat(gzip.compress(b"", mtime=0) * 3000)


_KEYS = (
    *("id", "number", "state", "title", "labels", "body", "user", "html_url", "locked"),
    *("fields", "rev", "value", "count", "_links", "states", "multilineFieldsFormat", "project"),
    *("key", "transitions", "status", "comments", "errors", "message", "data", "summary"),
)
_ODD: tuple[object, ...] = (7, "odd", None, [], {}, [None], {"name": 5}, [{"name": []}], True, "")
_TOKENS = " eyJhbGciOiJI-" * 70_000
_DEEP = 100_000
_PLENTY = 11 * MEBIBYTE

# Each is made anew for each request: some never end.
ANSWERS: dict[str, Callable[[], Iterable[bytes]]] = {
    "1 GiB body": lambda: chain([_head(200, f"Content-Length: {1 << 30}")], repeat(b" " * 65536)),
    "1 GiB error": lambda: chain([_head(403, f"Content-Length: {1 << 30}")], repeat(b"x" * 65536)),
    "endless body": lambda: _endless(b'{"a": "' + b"a" * 65536),
    "endless chunks": lambda: _endless(_chunks(b"a" * 65536), "Transfer-Encoding: chunked"),
    "endless small chunks": lambda: _endless(_chunks(*[b"a"] * 9000), "Transfer-Encoding: chunked"),
    "endless chunk size": lambda: _endless(b"0" * 65536, "Transfer-Encoding: chunked"),
    "endless chunk extension": lambda: _endless(b"5;" + b"e" * 60000, "Transfer-Encoding: chunked"),
    "gzip bomb": lambda: _whole(_bomb(1), "Content-Encoding: gzip"),
    "gzip bomb in gzip": lambda: _whole(_bomb(2), "Content-Encoding: gzip, gzip"),
    "deflate bomb": lambda: _whole(
        zlib.compress(b" " * (256 * MEBIBYTE)), "Content-Encoding: deflate"
    ),
    "endless empty gzip": lambda: chain([_head(200, "Content-Encoding: gzip")], _empty_members()),
    "unknown encoding": lambda: _whole(b'{"a": 1}', "Content-Encoding: br"),
    "broken gzip": lambda: _whole(b"no gzip", "Content-Encoding: gzip"),
    "dripping status": lambda: _dripping(b"HTTP/1.1 200 " + b"a" * 1000),
    "dripping headers": lambda: chain([_head()[:-2]], _dripping(b"X-A: a\r\n" * 100)),
    "dripping body": lambda: chain([_head(200, "Content-Length: 9999")], _dripping(b" " * 9999)),
    "dripping interim": lambda: _dripping(b"HTTP/1.1 100 Go\r\n\r\n" * 100),
    "nothing": lambda: iter([SILENCE]),
    "huge header": lambda: _whole(b"{}", "X-A: " + "a" * 70_000),
    "huge headers": lambda: _whole(b"{}", *(f"X-{n}: {'a' * 60_000}" for n in range(90))),
    "many headers": lambda: _whole(b"{}", *(f"X-{n}: a" for n in range(5000))),
    "endless header": lambda: chain([b"HTTP/1.1 200 OK\r\nX-A: "], repeat(b"a" * 65536)),
    "endless headers": lambda: chain([b"HTTP/1.1 200 OK\r\n"], repeat(b"X-A: a\r\n" * 999)),
    "flood of 100": lambda: repeat(b"HTTP/1.1 100 Go\r\n\r\n" * 999),
    "flood of 103": lambda: repeat(b"HTTP/1.1 103 Hint\r\nLink: a\r\n\r\n" * 999),
    "103 and no answer": lambda: [b"HTTP/1.1 103 Hint\r\n\r\n"],
    "101": lambda: [b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\n\r\n"],
    "deep JSON": lambda: _whole(b"[" * _DEEP + b"]" * _DEEP),
    "deep objects": lambda: _whole(b'{"a":' * _DEEP + b"1" + b"}" * _DEEP),
    "less deep JSON": lambda: _whole(b'{"a":' * 400 + b"1" + b"}" * 400),
    "deep JSON as text": lambda: _whole(b"[" * _DEEP + b"]" * _DEEP, kind="text/plain"),
    "deep JSON error": lambda: _whole(b'{"a":' * _DEEP, status=422),
    "many values": lambda: _whole(b"[" + b"{}," * (_PLENTY // 3) + b"1]"),
    "many values error": lambda: _whole(b"[" + b"{}," * (_PLENTY // 3) + b"1]", status=403),
    "wide text": lambda: _whole('{"a": "\U0001f600'.encode() + b"a" * _PLENTY + b'"}'),
    "wide text error": lambda: _whole(
        '{"message": "\U0001f600'.encode() + b"a" * _PLENTY + b'"}', status=422
    ),
    "long number": lambda: _whole(b'{"id": ' + b"9" * 100_000 + b"}"),
    "half characters": lambda: _whole(
        b'{"message": "\\ud800", "id": "\\udfff", "title": "\\ud800"}', status=422
    ),
    "not UTF-8": lambda: _whole(b'{"a": "\xff\xfe\xc3"}'),
    "not UTF-8 at all": lambda: _whole(os.urandom(5000)),
    "not UTF-8 error": lambda: _whole(b"\xff" * 5000, status=403),
    "HTML": lambda: _whole(b"<html><title>Sign in</title></html>", kind="text/html"),
    "HTML as JSON": lambda: _whole(b"<html>Welcome</html>"),
    "HTML error": lambda: _whole(b"<html>" + b"<p>" * 300_000, status=502, kind="text/html"),
    "empty": lambda: _whole(b""),
    "null": lambda: _whole(b"null"),
    "NaN": lambda: _whole(b'{"id": NaN, "number": Infinity}'),
    "a list": lambda: _whole(b"[1, null, []]"),
    "a text": lambda: _whole(b'"yes"'),
    "an empty object": lambda: _whole(b"{}"),
    **{
        f"every field {odd!r}": lambda odd=odd: _whole(  # type: ignore[misc]
            json.dumps(dict.fromkeys(_KEYS, odd)).encode()
        )
        for odd in _ODD
    },
    "fields of many types": lambda: _whole(
        json.dumps(dict(zip(_KEYS, _ODD * 3, strict=False))).encode()
    ),
    "201 and nothing": lambda: _whole(b"{}", status=201),
    "204": lambda: [_head(204)],
    "an odd error": lambda: _whole(
        b'{"message": {"a": []}, "errors": "no", "errorMessages": 7}', status=422
    ),
    "odd errors": lambda: _whole(
        b'{"errors": [null, 1, "x", {"field": [], "message": {}}], "customProperties": []}',
        status=400,
    ),
    "a long error with tokens": lambda: _whole(
        json.dumps({"message": _TOKENS}).encode(), status=403
    ),
    "a long text with tokens": lambda: _whole(_TOKENS.encode(), status=400, kind="text/plain"),
    "redirect round": lambda: _whole(b"", "Location: ?again", status=302),
    "redirect elsewhere": lambda: _whole(b"", "Location: https://tracker.invalid/x", status=302),
    "redirect to itself": lambda: _whole(b"", "Location: ", status=307),
    "redirect to a file": lambda: _whole(b"", "Location: file:///etc/passwd", status=302),
    "redirect to a metadata server": lambda: _whole(
        b"", "Location: http://169.254.169.254/", status=302
    ),
    "a long redirect": lambda: _whole(b"", "Location: /" + "a" * 60_000, status=301),
    "cut chunk": lambda: [_head(200, "Transfer-Encoding: chunked"), b'5\r\n{"a"\r\n'],
    "negative chunk": lambda: [_head(200, "Transfer-Encoding: chunked"), b"-5\r\n{}\r\n"],
    "cut body": lambda: [_head(200, "Content-Length: 400"), b'{"a"'],
    "longer than it says": lambda: [_head(200, "Content-Length: 2"), b"{}" + b"x" * 9999],
    "negative length": lambda: [_head(200, "Content-Length: -1"), b"{}"],
    "two lengths": lambda: [_head(200, "Content-Length: 2", "Content-Length: 3"), b"{} "],
    "no HTTP": lambda: [b"\x00\xff SSH-2.0\r\n\r\n"],
    "HTTP/9": lambda: [b"HTTP/9.9 999 ?\r\n\r\n"],
    "status of letters": lambda: [b"HTTP/1.1 OK\r\n\r\n"],
    **{
        f"Retry-After: {value[:20]}": lambda value=value: _limited(value)  # type: ignore[misc]
        for value in (
            "-1",
            "NaN",
            "1e99",
            "inf",
            "999999999",
            "9" * 5000,
            "Fri, 31 Dec 9999 23:59:59 GMT",
            "Mon, 01 Jan 0001 00:00:00 +2359",
            "Mon, 99 Foo 99999",
            "\u0664",
        )
        if value.isascii()
    },
    "a limit until the year 33658": lambda: _whole(
        b"{}", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 999999999999", status=403
    ),
    "a patient success": lambda: _whole(b"{}", "Retry-After: 999999999"),
    "a patient 503": lambda: _limited("999999999", 503),
}
