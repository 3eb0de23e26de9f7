import pytest
from pydantic import ValidationError

from unlatch.errors import ConfigError
from unlatch.spi import ItemRef
from unlatch_github.settings import GithubSettings

WIDGETS_4 = ItemRef("github", "octo/widgets", "4", "https://github.com/octo/widgets/issues/4")
HERE = GithubSettings(repository="octo/widgets")


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/octo/widgets/issues/4",
        "https://github.com/octo/widgets/issues/4/",
        "  https://github.com/octo/widgets/issues/4#issuecomment-1\n",
        "https://github.com/octo/widgets/issues/4?x=y#issuecomment-1",
        "https://github.com/octo/widgets/issues/4#issuecomment-1?x=y",
        "http://github.com/octo/widgets/issues/4",
        "https://GitHub.com:443/Octo/Widgets/issues/4",
        "https://github.com/octo/widgets/issues?issue=octo%7Cwidgets%7C4",
        "https://github.com/orgs/octo/projects/1?pane=issue&itemId=9&issue=octo%7Cwidgets%7C4",
    ],
)
def test_a_pasted_address_is_recognised_and_made_plain(url: str) -> None:
    assert HERE.recognise(url) == WIDGETS_4


@pytest.mark.parametrize(
    "url",
    [
        "",
        "4",
        "octo/widgets#4",
        "https://github.com/octo/widgets/pull/4/files/a",
        "https://github.com/octo/widgets/issues",
        "https://github.com/octo/widgets/issues/0",
        "https://github.com/octo/widgets/issues/04",
        "https://github.com/octo/widgets/issues/4x",
        "https://github.com/octo/../issues/4",
        "https://github.com/octo/widgets/issues/4/../../../evil/issues/5",
        "https://github.com/octo/widgets/issues/\u0664",
        "https://github.com.evil.example/octo/widgets/issues/4",
        "https://github.com@evil.example/octo/widgets/issues/4",
        "https://evil.example/octo/widgets/issues/4",
        "https://github.com:8443/octo/widgets/issues/4",
        "https://[github.com/octo/widgets/issues/4",
        "https://github.com:x/octo/widgets/issues/4",
        "ftp://github.com/octo/widgets/issues/4",
        "javascript:alert(1)//github.com/octo/widgets/issues/4",
    ],
)
def test_what_is_no_issue_of_ours_is_not_recognised(url: str) -> None:
    assert HERE.recognise(url) is None


def test_a_server_may_live_below_a_path_and_on_a_port() -> None:
    here = GithubSettings(
        api_url="http://127.0.0.1:8080/api/v3/", web_url="http://127.0.0.1:8080/git/"
    )

    found = here.recognise("http://127.0.0.1:8080/git/octo/widgets/issues/4")

    assert here.base_url == "http://127.0.0.1:8080/api/v3"
    assert found is not None
    assert found.url == "http://127.0.0.1:8080/git/octo/widgets/issues/4"
    assert here.recognise("http://127.0.0.1:8080/octo/widgets/issues/4") is None


@pytest.mark.parametrize("item", ["4", "#4", "octo/widgets#4", " 4 "])
def test_without_an_address_the_configured_repository_is_meant(item: str) -> None:
    assert HERE.locate(item, None) == WIDGETS_4


@pytest.mark.parametrize(
    ("item", "url", "problem"),
    [
        ("4", "https://evil.example/octo/widgets/issues/4", "is not the address of an issue"),
        ("4", "https://github.com/octo/widgets/pulls/4", "is not the address of an issue"),
        ("SCRUM-4", None, "is not the number of an issue"),
        ("0", None, "is not the number of an issue"),
    ],
)
def test_a_link_that_leads_nowhere_is_refused(item: str, url: str | None, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HERE.locate(item, url)

    assert problem in caught.value.problems[0]


def test_a_bare_number_needs_a_repository() -> None:
    with pytest.raises(ConfigError, match="1 mistake") as caught:
        GithubSettings().locate("4", None)

    assert caught.value.problems == ("issue 4 has no address, and no repository is configured",)


def test_only_configured_repositories_are_allowed_whatever_their_case() -> None:
    settings = GithubSettings(repository="octo/widgets", repositories=("Octo/Gadgets",))

    def allowed(name: str) -> bool:
        return settings.allows(ItemRef("github", name, "1", f"https://github.com/{name}/issues/1"))

    assert [allowed("OCTO/widgets"), allowed("octo/gadgets")] == [True, True]
    assert [allowed("octo/widgets2"), allowed("evil/widgets")] == [False, False]
    assert GithubSettings().allows(WIDGETS_4) is False


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"repository": "widgets"}, "write it as owner/name"),
        ({"repository": "octo/.."}, "write it as owner/name"),
        ({"repository": "octo/widgets/issues"}, "write it as owner/name"),
        ({"repository": "https://github.com/octo/widgets"}, "write it as owner/name"),
        ({"repositories": ["octo/widgets", "nope"]}, "write it as owner/name"),
        ({"api_url": "api.github.com"}, "is not a web address"),
        ({"api_url": "ftp://api.github.com"}, "is not a web address"),
        ({"api_url": "https://[x/"}, "not a web address"),
        ({"api_url": "https://api.github.com:x"}, "not a web address"),
        ({"api_url": "https://api.github.com?a=b"}, "must not have a query"),
        ({"web_url": "https://ghe.example"}, "api_url has to be set as well"),
        ({"repo": "octo/widgets"}, "Extra inputs are not permitted"),
    ],
)
def test_a_wrong_value_says_what_is_wrong(values: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        GithubSettings.model_validate(values)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:hunter2@api.github.com",
        "me:hunter2@api.github.com",
        "https://me:hunter2@api.github.com:x",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated_by_us(address: str) -> None:
    with pytest.raises(ValidationError) as caught:
        GithubSettings(api_url=address)

    (error,) = caught.value.errors()
    assert error["msg"] == "Value error, the address must not hold a user name or a password"
    assert "hunter2" not in str(caught.value)
