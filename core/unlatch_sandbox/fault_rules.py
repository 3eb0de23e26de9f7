"""The effect of each fault on a request before it is served, or on its answer."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Response

from unlatch_sandbox.clock import Clock, http_date

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

    from unlatch_sandbox.faults import Fault
    from unlatch_sandbox.late import LateEffects

LONGEST_HANG = 60.0
_GATEWAY_PAGE = "<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>"
_SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)
# Jira Cloud documents 400 for an account without permission.
_FORBIDDEN: Mapping[str, tuple[int, dict[str, Any]]] = {
    "github": (403, {"message": "Must have admin rights to Repository.", "status": "403"}),
    "ado": (403, {"message": "VS403690: You may not delete this comment.", "errorCode": 0}),
    "jira": (
        400,
        {
            "errorMessages": ["You do not have the permission to delete this comment."],
            "errors": {},
        },
    ),
}


class Environment:
    """The environment of a rule: clock, late effects, and a sleep that ends with the sandbox."""

    def __init__(self, clock: Clock, stopping: threading.Event, late: LateEffects) -> None:
        self.clock = clock
        self.late = late
        self._stopping = stopping

    def wait(self, seconds: float) -> None:
        self._stopping.wait(min(seconds, LONGEST_HANG))


class DroppedError(Exception):
    """Closes the connection without an answer."""


def before(fault: Fault, around: Environment) -> Response | None:
    rule = _BEFORE.get(fault.kind)
    return rule(fault, around) if rule else None


def after(fault: Fault, answer: Response, around: Environment) -> Response:
    rule = _AFTER.get(fault.kind)
    return rule(fault, answer, around) if rule else answer


def _text(body: Any) -> tuple[str, str]:
    if body is None or isinstance(body, str):
        return body or "", "text/plain; charset=utf-8"
    return json.dumps(body), "application/json; charset=utf-8"


def _latency(fault: Fault, around: Environment) -> None:
    around.wait(fault.options["seconds"])


def _human(fault: Fault, _: Environment) -> None:
    if not fault.options["effect"]:
        fault.options["action"]()


def _status(fault: Fault, _: Environment) -> Response | None:
    return None if fault.options["effect"] else _answered(fault)


def _answered(fault: Fault) -> Response:
    text, content_type = _text(fault.options["body"])
    answer = Response(text, fault.options["code"], content_type=content_type)
    answer.headers.update(fault.options["headers"] or {})
    return answer


def _forbidden(fault: Fault, _: Environment) -> Response:
    status, body = _FORBIDDEN[fault.tracker]
    return Response(json.dumps(body), status, content_type="application/json; charset=utf-8")


def _html(_: Fault, __: Environment) -> Response:
    return Response(_GATEWAY_PAGE, 502, content_type="text/html")


def _redirect(fault: Fault, _: Environment) -> Response:
    return Response("", fault.options["code"], {"Location": fault.options["location"]})


def _drop(_: Fault, __: Environment) -> None:
    raise DroppedError


def _hang(fault: Fault, around: Environment) -> None:
    if not fault.options["effect"]:
        around.wait(fault.options["seconds"])
        raise DroppedError


def _rate_limit(fault: Fault, around: Environment) -> Response | None:
    form, seconds = fault.options["form"], fault.options["seconds"]
    if form == "delayed":
        return None
    now = around.clock()
    headers = {
        "seconds": {"Retry-After": str(seconds)},
        "http-date": {"Retry-After": http_date(now + timedelta(seconds=seconds))},
        "secondary": {"Retry-After": str(seconds)},
        "primary": {
            "X-RateLimit-Limit": "5000",
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Used": "5000",
            "X-RateLimit-Resource": "core",
            "X-RateLimit-Reset": str(int(now.timestamp()) + seconds),
        },
        "reason": {"Retry-After": str(seconds), "RateLimit-Reason": fault.options["reason"]},
    }[form]
    code = 403 if form in ("primary", "secondary") else 429
    text, content_type = _text(_limit_body(fault.tracker, form))
    return Response(text, code, headers, content_type=content_type)


def _limit_body(tracker: str, form: str) -> dict[str, Any]:
    if tracker == "github":
        message = _SECONDARY if form != "primary" else "API rate limit exceeded for user ID 1."
        return {"message": message, "documentation_url": "https://docs.github.com/rest"}
    if tracker == "ado":
        return {
            "$id": "1",
            "innerException": None,
            "message": "TF400733: The request has been canceled: Request was blocked due to "
            "exceeding usage of resource 'Concurrency' in namespace 'User'.",
            "typeName": "Microsoft.TeamFoundation.Framework.Server.RequestBlockedException",
            "typeKey": "RequestBlockedException",
            "errorCode": 0,
            "eventId": 3000,
        }
    return {"errorMessages": ["Rate limit exceeded."], "errors": {}}


def _human_after(fault: Fault, answer: Response, _: Environment) -> Response:
    if fault.options["effect"]:
        fault.options["action"]()
    return answer


def _status_after(fault: Fault, _: Response, __: Environment) -> Response:
    return _answered(fault)


def _error_after(fault: Fault, _: Response, __: Environment) -> Response:
    return Response(_GATEWAY_PAGE, fault.options["code"], content_type="text/html")


def _drop_after(_: Fault, __: Response, ___: Environment) -> Response:
    raise DroppedError


def _truncate(_: Fault, answer: Response, __: Environment) -> Response:
    body = answer.get_data()
    answer.set_data(body[: len(body) // 2])
    return answer


def _hang_after(fault: Fault, _: Response, around: Environment) -> Response:
    around.wait(fault.options["seconds"])
    raise DroppedError


def _delayed(fault: Fault, answer: Response, _: Environment) -> Response:
    if fault.options["form"] == "delayed":
        answer.headers["Retry-After"] = str(fault.options["seconds"])
    return answer


_BEFORE: Mapping[str, Callable[[Fault, Environment], Response | None]] = {
    "latency": _latency,
    "human": _human,
    "status": _status,
    "forbidden": _forbidden,
    "html": _html,
    "redirect": _redirect,
    "drop": _drop,
    "timeout": _hang,
    "rate-limit": _rate_limit,
}
_AFTER: Mapping[str, Callable[[Fault, Response, Environment], Response]] = {
    "human": _human_after,
    "status": _status_after,
    "error-after": _error_after,
    "drop-after": _drop_after,
    "truncate": _truncate,
    "timeout": _hang_after,
    "rate-limit": _delayed,
}
