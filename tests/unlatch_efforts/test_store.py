import subprocess
from pathlib import Path
from typing import Any

import pytest

from unlatch.errors import UsageError
from unlatch_efforts.effort_model import Status
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import Author


def said(content: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content}


@pytest.fixture
def concluded(store: EffortStore) -> EffortStore:
    """A store with the concluded effort auth-bug."""
    store.open("auth-bug")
    store.transcript("auth-bug").append(said("401 errors"), said("axios interceptor", "assistant"))
    store.conclude("auth-bug", "Fixed 401 errors.")
    return store


def test_an_effort_is_named_by_the_words_of_its_title_without_secrets_and_once(
    store: EffortStore,
) -> None:
    assert store.open("The  Auth Bug (v2)!").id == "the-auth-bug-v2"
    secret = "ghp_" + "A1b2C3d4" * 4
    assert store.open(f"Rotate {secret} now").id == "rotate-now"
    assert store.open(secret).id.startswith("effort-")
    store.open("auth bug")
    with pytest.raises(UsageError, match="effort-exists"):
        store.open("Auth-Bug")


def test_a_title_in_any_script_has_an_id_of_its_own(store: EffortStore) -> None:
    ids = {store.open(title).id for title in ("照合", "検索", "Сверка")}
    assert len(ids) == 3
    assert all(one.startswith("effort-") for one in ids)
    found = store.named(" 照合 ")
    assert (found and found.title) == "照合"
    with pytest.raises(UsageError, match="effort-exists"):
        store.open("照合")


@pytest.mark.parametrize("name", ["…", "", "Ambient"])
def test_a_name_that_cannot_be_an_id_is_refused(store: EffortStore, name: str) -> None:
    with pytest.raises(UsageError, match="effort-name"):
        store.open(name)


def test_reopen_flips_a_concluded_effort_to_open_and_concluding_again_keeps_the_earlier_summary(
    concluded: EffortStore,
) -> None:
    effort, prior = concluded.reopen("auth-bug", "another edge case")
    assert (effort.status, prior) == (Status.OPEN, "Fixed 401 errors.")
    assert [(one.by, one.prior_summary, one.reason) for one in effort.reopens] == [
        ("ada", "Fixed 401 errors.", "another edge case")
    ]
    concluded.transcript("auth-bug").append(said("and the refresh token"))
    effort = concluded.conclude("auth-bug", "Fixed 401 errors and the refresh.")
    assert effort.summary == "Fixed 401 errors and the refresh."
    assert [one.prior_summary for one in effort.reopens] == ["Fixed 401 errors."]


def test_reopen_of_an_open_effort_fails(store: EffortStore) -> None:
    store.open("auth-bug")
    with pytest.raises(UsageError, match="effort-not-concluded"):
        store.reopen("auth-bug")


def test_an_unknown_effort_names_the_closest_and_a_unique_prefix_finds_one(
    concluded: EffortStore,
) -> None:
    with pytest.raises(UsageError, match="effort-unknown") as raised:
        concluded.reopen("auht-bug")
    assert raised.value.problems == ("auth-bug",)
    with pytest.raises(UsageError, match="effort-not-open"):
        concluded.conclude("auth-bug", "again")
    assert concluded.find("auth").id == "auth-bug"
    concluded.open("auth-flow")
    with pytest.raises(UsageError, match="effort-ambiguous") as raised:
        concluded.find("auth")
    assert raised.value.problems == ("auth-bug", "auth-flow")


@pytest.mark.parametrize("id", ["", "..", "a/b", "/etc", ".git", "A", "a--b"])
def test_no_other_folder_is_taken_for_an_effort(concluded: EffortStore, id: str) -> None:
    assert concluded.get(id) is None


def test_an_older_projection_is_not_believed_and_a_lost_one_rebuilt_from_the_events(
    concluded: EffortStore,
) -> None:
    cache = concluded.root / "auth-bug" / "effort.json"
    old = cache.read_bytes()
    concluded.reopen("auth-bug")
    cache.write_bytes(old)
    effort = concluded.get("auth-bug")
    assert effort is not None
    assert effort.is_open
    before = concluded.all()
    (concluded.root / "auth-bug" / "effort.json").unlink()
    assert concluded.all() == before
    (concluded.root / "auth-bug" / "effort.json").write_text("{", encoding="utf-8")
    assert concluded.all() == before


def status_of_git(project: Path) -> str:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(status, cwd=project, check=True, capture_output=True, text=True).stdout


def test_files_are_private_and_kept_out_of_git(concluded: EffortStore) -> None:
    assert "auth-bug" not in status_of_git(concluded.root.parent.parent)
    folder = concluded.root / "auth-bug"
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_an_opening_that_died_before_its_event_is_made_again(
    store: EffortStore, author: Author
) -> None:
    store.open("first")
    (store.root / "auth-bug").mkdir()
    assert [one.id for one in store.all()] == ["first"]
    assert EffortStore(store.root, author).open("auth-bug").is_open


BROUGHT = (
    *("", "# nothing\n", "*\n!*\n", "*\n!auth-bug/", "*\n\n# more\n!*/\n", "\\*\n", "*x\n"),
    "*\t\n",
)


def test_rules_for_git_that_a_clone_brings_do_not_count(tmp_path: Path, author: Author) -> None:
    for number, brought in enumerate(BROUGHT):
        root = tmp_path / f"{number}" / "efforts"
        root.mkdir(parents=True)
        (root / ".gitignore").write_text(brought)
        EffortStore(root, author).open("auth-bug")
    assert status_of_git(tmp_path) == ""


@pytest.mark.parametrize("own", ["*\n", "*", "# mine\n*\r\n", "!x\n*\n\n# end\n"])
def test_rules_for_git_that_are_enough_stay(store: EffortStore, own: str) -> None:
    store.root.mkdir()
    (store.root / ".gitignore").write_text(own, newline="")
    store.open("auth-bug")
    assert (store.root / ".gitignore").read_bytes() == own.encode()
