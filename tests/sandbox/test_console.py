import base64
import hashlib
from collections.abc import Callable

import pytest
import requests

from unlatch_sandbox import Sandbox

Call = Callable[..., requests.Response]
NASTY = '<script>alert(1)</script> & "quotes" {{ 777 * 7777 }}'


def seed(box: Sandbox, text: str) -> None:
    box.github.add_issue(number=4, title=text, labels=["ux"], body=text)
    box.github.add_comment("octo/widgets", 4, text)
    box.ado.add_work_item(id=101, title=text, state="Closed", description=text)
    box.ado.add_comment(101, f"<div>first</div><p>{text}</p>")
    box.jira.add_issue("SCRUM-28", summary=text, status="Done")
    box.jira.add_comment("SCRUM-28", text)


def test_the_page_shows_all_items_comments_and_requests(
    box: Sandbox, console: Call, github: Call
) -> None:
    seed(box, "plain words")
    github("GET", "/repos/octo/widgets/issues/4")
    page = console("GET", "/").text
    for expected in ("octo/widgets#4", "101", "SCRUM-28", "plain words", "ux", "Closed", "Done"):
        assert expected in page
    assert "/api/v3/repos/octo/widgets/issues/4" in page


def test_pages_escape_whatever_an_item_holds(box: Sandbox, console: Call) -> None:
    seed(box, NASTY)
    urls = [item.url for item in (*box.github.items(), *box.ado.items())]
    urls += [item.url for item in box.jira.items()]
    pages = [console("GET", "/"), *(requests.get(url, timeout=10) for url in urls)]
    assert [page.status_code for page in pages] == [200] * 4
    for page in pages:
        assert "<script" not in page.text
        assert "alert(1)" in page.text
        assert "6042729" not in page.text
        policy = page.headers["Content-Security-Policy"]
        style = page.text.partition("<style>")[2].partition("</style>")[0]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"default-src 'none'; style-src 'sha256-{digest}'; " in policy
        assert "unsafe" not in policy


def test_pages_need_nothing_from_elsewhere_and_update_themselves_only_on_demand(
    console: Call,
) -> None:
    page = console("GET", "/").text
    for word in ("<link", "<img", "<script", "@import", "url("):
        assert word not in page
    assert "prefers-color-scheme: dark" in page
    assert 'http-equiv="refresh"' not in console("GET", "/").text
    assert 'http-equiv="refresh"' in console("GET", "/?live=1").text
    assert console("GET", "/?lives=1").status_code == 501


def test_the_page_shows_the_latest_comment_and_folds_the_earlier_ones(
    box: Sandbox, console: Call
) -> None:
    box.github.add_issue(number=4, title="Smart")
    for text in ("Morning", "Noon", "Evening"):
        box.github.add_comment("octo/widgets", 4, text)
    page = console("GET", "/").text
    assert page.index("Evening") < page.index("2 earlier comments") < page.index("Morning")


def test_sample_items_are_open_and_closed_in_several_projects(box: Sandbox, console: Call) -> None:
    assert console("POST", "/api/seed", json={}).json() == {"result": 27}
    again = console("POST", "/api/seed", json={})
    assert (again.status_code, again.json()["message"]) == (409, "the sandbox has items already")
    found = [*box.github.items(), *box.ado.items(), *box.jira.items()]
    assert len(found) == 27
    places = {(item.tracker, item.place) for item in found}
    assert len(places) == 6
    for place in places:
        here = [item for item in found if (item.tracker, item.place) == place]
        assert {True, False} == {item.open for item in here}
        assert any(item.labels for item in here)
        assert any(item.comments for item in here)
    assert '<span class="soft">reason not_planned</span>' in console("GET", "/").text
    states = {item.id: item.state for item in found}
    assert (states["101"], states["201"], states["OPS-2"]) == ("Closed", "Committed", "Closed")
    assert box.github.add_issue(title="The next one") == 10


def test_the_web_address_of_each_item_is_a_page(box: Sandbox) -> None:
    seed(box, "words")
    api = (
        box.github.issue("octo/widgets", 4)["html_url"],
        box.ado.work_item(101)["_links"]["html"]["href"],
        f"{box.jira.site}/browse/SCRUM-28",
    )
    assert [requests.get(url, timeout=10).status_code for url in api] == [200] * 3
    assert requests.get(f"{box.jira.site}/browse/SCRUM-99", timeout=10).status_code == 404


def test_another_process_seeds_edits_and_reads_back(console: Call) -> None:
    asked = {"number": 4, "title": "Smart", "state": "closed", "labels": ["completed"]}
    assert console("POST", "/api/github/add_issue", json=asked).json() == {"result": 4}
    console("POST", "/api/ado/add_project", json={"name": "scrum", "process": "Scrum"})
    item = {"project": "scrum", "type": "Bug", "title": "Smart", "state": "Done"}
    number = console("POST", "/api/ado/add_work_item", json=item).json()["result"]
    console("POST", "/api/jira/add_issue", json={"key": "SCRUM-28", "summary": "Smart"})
    console("POST", "/api/jira/edit", json={"key": "SCRUM-28", "status": "Done"})
    found = console("GET", "/api/items").json()
    assert [
        ("github", "octo/widgets#4", "closed", False),
        ("ado", str(number), "Done", False),
        ("jira", "SCRUM-28", "Done", False),
    ] == [(item["tracker"], item["id"], item["state"], item["open"]) for item in found]
    assert len(console("GET", "/api/items", params={"tracker": "jira"}).json()) == 1


def test_another_process_injects_faults_and_reads_the_log(
    box: Sandbox, console: Call, github: Call
) -> None:
    asked = {"tracker": "github", "kind": "status", "code": 503}
    assert console("POST", "/api/faults", json=asked).status_code == 201
    assert len(console("GET", "/api/faults").json()) == 1
    assert github("GET", "/user").status_code == 503
    (entry,) = console("GET", "/api/requests", params={"tracker": "github"}).json()
    assert (entry["method"], entry["path"], entry["status"]) == ("GET", "/api/v3/user", 503)
    json_type = {"Content-Type": "application/json"}
    assert console("DELETE", "/api/requests", headers=json_type).status_code == 204
    assert box.requests.count() == 0


def test_a_reset_forgets_items_faults_and_requests(
    box: Sandbox, console: Call, github: Call
) -> None:
    seed(box, "words")
    github("GET", "/user")
    console("POST", "/api/faults", json={"tracker": "github", "kind": "drop"})
    assert console("POST", "/api/reset", json={}).status_code == 204
    for path in ("/api/items", "/api/faults", "/api/requests"):
        assert console("GET", path).json() == []
    assert box.github.add_issue(title="The repository is there again") == 1


def test_the_settings_are_handed_out(box: Sandbox, console: Call) -> None:
    expected = {"environ": box.environ(), "config": box.config()}
    assert expected == console("GET", "/api/settings").json()
    assert box.config() == console("GET", "/config.toml").text
    for name, value in box.environ().items():
        assert f"export {name}={value}\n" in console("GET", "/environment.sh").text


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/faults", {"tracker": "github", "kind": "human"}, 400),
        ("/api/faults", {"tracker": "github", "kind": "nope"}, 400),
        ("/api/faults", {"kind": "drop"}, 400),
        ("/api/github/add_issue", {"titel": "typo"}, 400),
        ("/api/github/add_comment", {"repository": "octo/no", "number": 1, "body": "x"}, 400),
        ("/api/github/furnish", {}, 404),
        ("/api/ado/add_work_item", {"title": "T", "type": "Nope"}, 400),
        ("/api/nothing", {}, 501),
    ],
)
def test_a_mistaken_command_is_explained(
    console: Call, path: str, body: dict[str, object], status: int
) -> None:
    answer = console("POST", path, json=body)
    assert status == answer.status_code
    assert answer.json()["message"]


def test_web_pages_from_elsewhere_cannot_command_it(console: Call) -> None:
    form = {"Content-Type": "text/plain"}
    assert console("POST", "/api/reset", data="{}", headers=form).status_code == 415
    rebound = {"Host": "evil.example"}
    assert console("GET", "/api/settings", headers=rebound).status_code == 403
    sent = {"key": "SCRUM-28", "summary": 3, "status": ["Done"]}
    assert console("POST", "/api/jira/add_issue", json=sent).status_code == 400


@pytest.mark.parametrize(
    ("path", "sent", "message"),
    [
        (
            "github/add_comment",
            {"repository": "octo/widgets", "number": 4, "body": "Hi", "author": "dana"},
            "unknown key 'author'; the keys are repository, number, body, user",
        ),
        ("jira/edit", {"status": "Done"}, "missing key 'key'; the keys are key"),
        ("faults", {"tracker": "jira"}, "missing key 'kind'; the keys are tracker, kind, "),
    ],
)
def test_a_wrong_key_is_an_error_that_lists_the_known_ones(
    console: Call, path: str, sent: dict[str, object], message: str
) -> None:
    answer = console("POST", f"/api/{path}", json=sent)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith(message)
