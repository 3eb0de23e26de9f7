"""The object through which a plugin sends its requests."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

import requests

from unlatch.errors import Rejected, TrackerError, UnlatchError
from unlatch.errors.known_secrets import remember_secrets
from unlatch.spi import Manifest
from unlatch.transport.account import NODE_BUDGET, Account, MachineBudget, NodeBudget
from unlatch.transport.adapter import AdapterContext, TrackerAdapter
from unlatch.transport.answer import Explain
from unlatch.transport.breaker import DEFAULT_OPTIONS, CommandLimits, TransportOptions
from unlatch.transport.credentials import (
    Credential,
    ReadKeyring,
    RunProgram,
    find_credential,
    missing_hint,
    read_keyring,
    run_program,
)
from unlatch.transport.rate_limits import Gate, Kind, Pace, Pacer
from unlatch.transport.trace import Redactor
from unlatch.transport.trust import (
    TrustedHosts,
    check_origin,
    credential_host,
    origin_of,
    read_trusted_hosts,
)

_LONGEST_CHAIN = 5
# Seconds between the reads of what a tracker may show a little later than it accepts it.
_LOOKS = (0.5, 1.5)

Found = TypeVar("Found")


class Transport:
    """The connection to one tracker, for any session of `requests` that an SDK uses.

    Its origin, a URL, must have been checked with `check_origin`. SDKs are constructed without a
    credential; it is added here, for the origin alone. Without one, every request to the origin
    fails before it is sent, with the hint `missing`. `cache` is an existing folder for the caches
    of SDKs. `check` raises `UnlatchError` for a URL elsewhere that nothing may be sent to, even
    without the credential; None allows every URL. `state` is the private folder where the
    processes of this machine share waits and limits; None for a transport that shares none. `node`
    is the socket of the node of a fleet that counts requests instead.
    """

    def __init__(
        self,
        tracker: str,
        *,
        origin: str,
        credential: Credential | None,
        cache: Path,
        missing: str | None = None,
        title: str | None = None,
        check: Callable[[str], None] | None = None,
        options: TransportOptions = DEFAULT_OPTIONS,
        state: Path | None = None,
        node: str | None = None,
    ) -> None:
        self.tracker = tracker
        self.cache = cache
        self._node = node
        where = origin_of(origin)
        self._token = credential.header if credential else ""
        self._account = Account(state, where.authority, self._token, options.clock)
        command = options.command or CommandLimits()
        command.begin(options.clock)
        self._context = AdapterContext(
            tracker=tracker,
            title=title or tracker,
            origin=where,
            credential=credential,
            missing=missing or f"run `unlatch auth login {quote(tracker)}`",
            gate=Gate(tracker, options),
            breaker=command.breaker((where, self._token)),
            account=self._account,
            redactor=Redactor(*(credential.forms if credential else ())),
            check=check,
            options=options,
        )
        if (seconds := self._account.wait()) > 0:
            self._context.gate.hold(seconds, "it refused an earlier command for that long")

    def __repr__(self) -> str:
        return f"Transport({self.tracker!r}, origin={str(self._context.origin)!r})"

    def mount(self, session: requests.Session, explain: Explain) -> None:
        """Let an SDK's session send through this transport, from several threads at once.

        The adapters mounted on it are replaced; `explain` is the plugin's error table.
        """
        adapter = TrackerAdapter(self._context, explain)
        session.mount("https://", adapter)
        session.mount("http://", adapter)
        _limit_redirects(session)
        _read_environment_once(session)
        # Only the token identifies us, and threads share the session.
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def session(self, explain: Explain) -> requests.Session:
        """A new session that sends through this transport."""
        session = requests.Session()
        self.mount(session, explain)
        return session

    def hold(self, seconds: float, why: str) -> bool:
        """Delay the next request by so many seconds; False if that is longer than allowed."""
        if not self.can_wait(seconds):
            return False
        self._context.gate.hold(seconds, why)
        return True

    def pacer(self, pace: Pace, *, why: str, kind: Kind = Kind.COMMENT) -> Pacer:
        """Limits requests of one kind to a pace; `why` is shown with a wait for it."""
        context = self._context
        budget = MachineBudget(self._account, pace)
        if self._node:
            budget = NodeBudget(self._node, self.tracker, self._account, pace)
        return Pacer(budget, self._token, kind, gate=context.gate, why=why)

    def check_open(self) -> None:
        """Raise the error with which further requests are refused in this command, if they are."""
        self._context.breaker.check()

    def can_wait(self, seconds: float) -> bool:
        """Whether the next request may wait that long within the rest of `max_wait`.

        Charges nothing: the request itself waits, if the tracker requires it. A longer pause that
        the tracker requires meanwhile counts instead of `seconds`.
        """
        return self._context.gate.can_afford(seconds)

    def read_until(self, read: Callable[[], Found], is_shown: Callable[[Found], bool]) -> Found:
        """Read again, at most three times in two seconds, until the answer shows a write.

        For a write that the tracker has accepted: it may read from a copy that lags behind. Returns
        the last answer, in which the write may still be missing.

        Unreachable: it was interrupted, took too long, or was cut short.
        """
        answer = read()
        for seconds in _LOOKS:
            if is_shown(answer):
                break
            self._context.gate.rest(seconds)
            answer = read()
        return answer

    def stop(self) -> None:
        """End every wait and send nothing more; for an interruption by the user."""
        self._context.gate.close()
        self._context.breaker.close()


def _read_environment_once(session: requests.Session) -> None:
    """Let a session look up the proxy and certificates of a host once.

    requests goes through the whole environment for each request.
    """
    merge = session.merge_environment_settings
    merged: dict[str, Any] = {}

    def merge_environment_settings(url: Any, *given: Any) -> Any:
        key = repr((url.split("/", 3)[:3], given))
        if key not in merged:
            merged[key] = merge(url, *given)
        return {**merged[key], "proxies": dict(merged[key]["proxies"])}

    replaced: Any = merge_environment_settings
    session.merge_environment_settings = replaced  # type: ignore[method-assign]


def _limit_redirects(session: requests.Session) -> None:
    """Let a session follow a few redirects of reads, and raise our errors for broken ones."""
    resolve = session.resolve_redirects

    def resolve_redirects(
        resp: requests.Response, req: requests.PreparedRequest, *args: Any, **options: Any
    ) -> Iterator[Any]:
        try:
            yield from resolve(resp, req, *args, **options)
        except TrackerError:
            raise
        except (requests.RequestException, UnlatchError, ValueError) as error:
            # The address is invalid, contains a password, or is one redirect too many.
            message = "the tracker redirects to an invalid address, or in circles"
            where = f"{req.method} {(req.url or '').partition('?')[0]}"
            hint, status = "check the configured address", resp.status_code
            raise Rejected(
                "redirect-broken", message, where=where, hint=hint, status=status
            ) from error

    session.max_redirects = _LONGEST_CHAIN
    session.resolve_redirects = resolve_redirects  # type: ignore[method-assign]  # msrest does too


def open_transport(
    manifest: Manifest,
    base_url: str,
    *,
    env: Mapping[str, str],
    cache: Path,
    trusted: TrustedHosts | None = None,
    options: TransportOptions = DEFAULT_OPTIONS,
    state: Path | None = None,
    keyring_get: ReadKeyring = read_keyring,
    run: RunProgram = run_program,
) -> Transport:
    """Open a transport for a tracker: check its address, then find a credential.

    The first request reports a missing token, so that items that need none are not delayed. The
    folder `cache` is made if missing; without `trusted` only `env` names hosts. Raises the errors
    of `check_origin` and `find_credential`.
    """
    trusted = trusted or read_trusted_hosts(env, [manifest])
    check = partial(check_origin, manifest=manifest, trusted=trusted)
    check(base_url)
    name, tokens, host = manifest.name, manifest.tokens, credential_host(base_url)
    credential = find_credential(
        tokens, tracker=name, host=host, env=env, keyring_get=keyring_get, run=run
    )
    remember_secrets(*(credential.forms if credential else ()))
    cache.mkdir(parents=True, exist_ok=True)
    return Transport(
        name,
        origin=base_url,
        credential=credential,
        cache=cache,
        missing=missing_hint(tokens, tracker=name, env=env),
        title=manifest.title,
        check=check,
        options=options,
        state=state,
        node=env.get(NODE_BUDGET),
    )
