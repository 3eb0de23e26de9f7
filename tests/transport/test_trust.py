"""Which hosts a token may be sent to, in any spelling, and how far it goes."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.transport.calling import TOKEN, call, connected, failure, nothing, transport
from tests.transport.faulty import OK, Faulty, reply

import unlatch_ado
import unlatch_jira
from unlatch.errors import CredentialMissing, Rejected, UnlatchError
from unlatch.spi import Manifest, Scheme
from unlatch.transport import for_tests, measure, open_transport
from unlatch.transport.trust import check_origin, read_trusted_hosts
from unlatch_jira.plugin import JiraPlugin
from unlatch_jira.settings import JiraSettings


def test_token_goes_to_the_origin() -> None:
    with Faulty(OK, OK) as server:
        call(server, "GET")
        call(server, "GET", scheme=Scheme.BASIC, user="me@corp")

    basic = base64.b64encode(f"me@corp:{TOKEN}".encode()).decode()
    assert [f"Bearer {TOKEN}", f"Basic {basic}"] == [
        request.headers["authorization"] for request in server.requests
    ]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_another_port_takes_no_token_along(status: int) -> None:
    with Faulty(OK) as elsewhere:
        away = reply(status, headers={"Location": f"{elsewhere.url}/caught"})
        with Faulty(away) as server:
            assert call(server, "GET").json() == {"ok": True}

    assert "authorization" in server.requests[0].headers
    assert elsewhere.requests[0].path == "/caught"
    assert "authorization" not in elsewhere.requests[0].headers
    assert TOKEN not in repr(elsewhere.requests)


def test_token_is_there_again_after_a_redirect_home_alone() -> None:
    with Faulty(reply(302, headers={"Location": "/two"}), OK) as server:
        call(server, "GET")

    assert [f"Bearer {TOKEN}"] * 2 == [r.headers["authorization"] for r in server.requests]

    with Faulty(OK) as server, transport(server).session(nothing) as session:
        session.get(server.url.replace("127.0.0.1", "localhost"))

    assert "authorization" not in server.requests[0].headers

    with Faulty(reply(302, headers={"Location": "http://example.invalid/"})) as server:
        error = failure(server, "GET")

    assert (Rejected, "insecure-url") == (type(error), error.id)


@pytest.mark.parametrize(
    "location", ["/round", "http://[broken", "http://:80", "gopher://x/", "http://u:p@x/"]
)
def test_redirects_that_lead_nowhere_are_an_error_of_ours(location: str) -> None:
    with Faulty(otherwise=reply(302, headers={"Location": location})) as server:
        error = failure(server, "GET")

    assert (Rejected, "redirect-broken") == (type(error), error.id)
    assert f"GET {server.url}/item" == error.where


def test_what_an_sdk_or_netrc_would_send_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password netrc-secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with Faulty(OK, OK) as other, connected(OK, OK) as (server, session):
        session.get(server.url)
        session.get(server.url, headers={"Authorization": "Bearer of-the-sdk"})
        session.get(other.url)
        session.get(other.url, auth=("someone", "of-the-sdk"))

    assert [f"Bearer {TOKEN}"] * 2 == [r.headers["authorization"] for r in server.requests]
    assert ["authorization" in r.headers for r in other.requests] == [False, False]


def test_user_name_in_an_address_is_refused() -> None:
    with (
        connected(OK) as (server, session),
        pytest.raises(UnlatchError, match="url-with-credentials"),
    ):
        session.get(server.url.replace("//", "//someone:pass@"))

    assert server.requests == []


def test_cookies_are_neither_kept_nor_sent() -> None:
    cookie = {"Set-Cookie": "session=abc; Path=/"}
    away = reply(302, headers=cookie | {"Location": "/two"})
    with connected(away, reply(headers=cookie), OK) as (server, session):
        session.get(server.url)
        session.get(server.url, cookies={"of": "the-sdk"})

        assert list(session.cookies) == []

    assert ["cookie" in request.headers for request in server.requests] == [False] * 3


def test_without_a_token_nothing_is_sent() -> None:
    with Faulty(otherwise=OK) as server, measure() as meter:
        error = failure(server, "POST", token=None)

    assert (CredentialMissing, "credential-missing") == (type(error), error.id)
    assert error.hint == "run `unlatch auth login github`"
    assert (meter.requests, server.requests) == (0, [])


def test_sdk_never_sees_the_token_and_no_error_or_text_shows_it() -> None:
    with Faulty(OK) as server:
        answer = call(server, "GET")

    assert TOKEN not in repr(vars(answer.request))
    assert "Authorization" not in answer.request.headers

    with Faulty(reply(401)) as server:
        error = failure(server, "GET")

    assert error.hint == "the token came from the test; check that it is valid"
    shown = repr(for_tests("github", "http://127.0.0.1:9", token=TOKEN))

    assert shown == "Transport('github', origin='http://127.0.0.1:9')"


HOSTS = ("github.com", "api.github.com", "*.atlassian.net")


# A variable for each, as GH_HOST and JIRA_URL.
CODE, WORK = (
    replace(unlatch_jira.manifest, name=name, hosts=HOSTS, host_env=(f"{name.upper()}_URL",))
    for name in ("code", "work")
)


def verdict(
    url: str,
    *,
    tracker: Manifest = CODE,
    env: Mapping[str, str] | None = None,
    configured: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The id of the error, or "trusted"."""
    trusted = read_trusted_hosts(env or {}, (CODE, WORK), configured or {}, file="config.toml")
    try:
        check_origin(url, tracker, trusted)
    except UnlatchError as error:
        return error.id
    return "trusted"


@pytest.mark.parametrize(
    "url",
    [
        "https://api.github.com",
        "https://API.GitHub.COM/api/v3",
        "HTTPS://api.github.com:443/",
        "https://acme.atlassian.net/",
    ],
)
def test_vendor_is_trusted(url: str) -> None:
    assert verdict(url) == "trusted"


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.com",
        "https://evilatlassian.net",
        "https://a.b.atlassian.net",
        "https://atlassian.net",
        "https://atlassian.net.evil.com",
        "https://acme.atlassian.net.",
        "https://.atlassian.net",
        "https://api.github.com.evil.com",
        "https://api.github.com.",
        "https://api.github.com:8443",
        "https://evil.com/api.github.com",
        "https://evil.com#.atlassian.net",
        "https://evil.com?.atlassian.net",
        "https://127.0.0.1",
        "http://127.0.0.1:8080",
        "http://localhost",
        "http://[::1]:80",
        "https://xn--github-xxx.com",
        # Cyrillic "i" and a fraction that reads like "a/c".
        "https://g\u0456thub.com",
        "https://\u2100.atlassian.net",
    ],
)
def test_everything_else_is_not(url: str) -> None:
    assert verdict(url) in {"host-not-trusted", "url-malformed"}


@pytest.mark.parametrize(
    "url",
    [
        "https://api.github.com@evil.com",
        "https://user:secret@api.github.com",
        "https://token@acme.atlassian.net",
        "https://@api.github.com",
    ],
)
def test_credentials_in_an_address_are_refused_unseen(url: str) -> None:
    with pytest.raises(UnlatchError, match="url-with-credentials:") as caught:
        check_origin(url, CODE, read_trusted_hosts({}, [CODE]))

    assert not any("secret" in str(part) for part in vars(caught.value).values())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.github.com",
        "//api.github.com",
        "ftp://api.github.com",
        "file:///etc/passwd",
        "https://",
        "https:///path",
        "https://evil.com\\.atlassian.net",
        "https://evil.com\\@api.github.com",
        "https://evil.com%2f.atlassian.net",
        "https://evil.com%00.atlassian.net",
        "https://api.github.com\n.evil.com",
        "https://api.git\thub.com",
        " https://api.github.com",
        "https://api..github.com",
        "https://api.github.com:99999",
        "https://api.github.com:x",
        "https://[::1",
        "https://evil.com;.atlassian.net",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    assert verdict(url) == "url-malformed"


@pytest.mark.parametrize(
    "host", ["ghes.corp", "10.0.0.7", "127.0.0.1.evil.com", "127.1", "0x7f.1", "localhost.evil.com"]
)
def test_plain_http_is_for_loopback_however_trusted_the_host(host: str) -> None:
    assert verdict(f"http://{host}", configured={"code": [host]}) == "insecure-url"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "LOCALHOST", "[::1]"])
def test_loopback_that_is_trusted_may_be_plain_http(host: str) -> None:
    assert verdict(f"http://{host}:9/x", configured={"code": [f"{host}:9"]}) == "trusted"


@pytest.mark.parametrize(
    ("entry", "url", "expected"),
    [
        ("ghes.corp", "https://ghes.corp/api/v3", "trusted"),
        ("GHES.corp", "https://ghes.CORP:8443", "trusted"),
        ("other, ghes.corp", "https://ghes.corp", "trusted"),
        ("ghes.corp:8443", "https://ghes.corp:8443", "trusted"),
        ("ghes.corp:8443", "https://ghes.corp", "host-not-trusted"),
        ("https://ghes.corp/", "https://ghes.corp", "trusted"),
        ("*.corp.example", "https://a.corp.example", "trusted"),
        ("*.corp.example", "https://corp.example", "host-not-trusted"),
        ("*.corp.example", "https://a.b.corp.example", "host-not-trusted"),
        ("*.com", "https://evil.com", "host-not-trusted"),
        ("*", "https://evil.com", "host-not-trusted"),
        ("", "https://ghes.corp", "host-not-trusted"),
        (",", "https://ghes.corp", "host-not-trusted"),
        ("corp", "https://ghes.corp", "host-not-trusted"),
        ("ghes.corp:x", "https://ghes.corp", "host-not-trusted"),
        ("ghes.corp@evil.com", "https://evil.com", "host-not-trusted"),
        ("b\u00fccher.example", "https://xn--bcher-kva.example", "trusted"),
        ("xn--bcher-kva.example", "https://B\u00dcCHER.example", "trusted"),
        ("fass.example", "https://fa\u00df.example", "host-not-trusted"),
    ],
)
def test_environment_and_user_may_trust_more(entry: str, url: str, expected: str) -> None:
    entries = entry.split(",")
    bound = ", ".join(f"code={one.strip()}" for one in entries)
    unbound = "host-not-bound" if expected == "trusted" else expected

    assert expected == verdict(url, env={"UNLATCH_TRUSTED_HOSTS": bound})
    assert expected == verdict(url, configured={"code": entries})
    assert unbound == verdict(url, env={"UNLATCH_TRUSTED_HOSTS": entry})
    assert unbound == verdict(url, configured={"": entries})
    for elsewhere in ({"env": {"UNLATCH_TRUSTED_HOSTS": bound}}, {"configured": {"code": entries}}):
        assert "host-not-trusted" == verdict(url, tracker=WORK, **elsewhere)


@pytest.mark.parametrize("value", ["https://ghes.corp", "ghes.corp", "https://ghes.corp/path"])
def test_variables_of_the_manifest_may_name_a_host(value: str) -> None:
    assert verdict("https://ghes.corp/api/v3", env={"CODE_URL": value}) == "trusted"
    assert verdict("https://ghes.corp/api/v3", env={"WORK_URL": value}) == "host-not-trusted"


@pytest.mark.parametrize("entry", ["ghes.corp.example", "*.corp.example"])
@pytest.mark.parametrize(
    ("tie", "code", "work"),
    [
        ({}, "host-not-bound", "host-not-bound"),
        ({"CODE_URL": "https://ghes.corp.example/x"}, "trusted", "host-not-bound"),
        ({"UNLATCH_TRUSTED_HOSTS": "work=ghes.corp.example"}, "host-not-bound", "trusted"),
        ({"CODE_URL": "other.example"}, "host-not-bound", "host-not-bound"),
    ],
)
def test_entry_without_a_tracker_counts_for_the_one_that_the_user_ties_it_to(
    entry: str, tie: dict[str, str], code: str, work: str
) -> None:
    url = "https://ghes.corp.example:8443"
    in_variable = {
        **tie,
        "UNLATCH_TRUSTED_HOSTS": f"{tie.get('UNLATCH_TRUSTED_HOSTS', '')},{entry}",
    }

    for sources in ({"env": in_variable}, {"env": tie, "configured": {"": [entry]}}):
        assert code == verdict(url, tracker=CODE, **sources)
        assert work == verdict(url, tracker=WORK, **sources)


def test_entry_that_two_trackers_are_tied_to_counts_for_none() -> None:
    env = {"CODE_URL": "a.corp.example", "WORK_URL": "b.corp.example"}

    entry = {"": ["*.corp.example"]}
    assert "host-not-bound" == verdict("https://c.corp.example", env=env, configured=entry)
    assert "trusted" == verdict("https://a.corp.example", env=env, configured=entry)
    assert "host-not-bound" == verdict("https://b.corp.example", env=env, configured=entry)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("fabrikam.visualstudio.com", "trusted"),
        ("a.b.visualstudio.com", "host-not-trusted"),
        ("visualstudio.com", "host-not-trusted"),
        ("fabrikam.visualstudio.com.evil.com", "host-not-trusted"),
    ],
)
def test_older_address_of_an_azure_devops_organization_has_one_label(
    host: str, expected: str
) -> None:
    assert expected == verdict(f"https://{host}", tracker=unlatch_ado.manifest)


def test_site_is_trusted_before_it_is_asked_for_its_id_at_the_gateway(tmp_path: Path) -> None:
    with Faulty(otherwise=reply(200, {"cloudId": "11111111-2222-3333"})) as server:
        settings = JiraSettings(site=server.url, project="SCRUM", gateway=True)
        env = {"JIRA_API_TOKEN": "t0ken", "JIRA_EMAIL": "me@corp.example"}
        transport = open_transport(
            unlatch_jira.manifest, settings.base_url, env=env, cache=tmp_path
        )
        with pytest.raises(Rejected) as caught:
            JiraPlugin(settings, transport).read(settings.ref("SCRUM-28"))

    assert "host-not-trusted" == caught.value.id
    assert server.requests == []
