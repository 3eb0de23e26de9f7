"""unlatch fleet check: the configuration, rights and webhooks of all repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.unlatch_fleet.repositories import Fleet


def test_check_refuses_a_secret_that_the_server_would_refuse(fleet: Fleet) -> None:
    fleet.write('repositories = []\n[webhooks.octo]\ntracker = "github"\nsecret = "env:OCTO"\n')
    check = "fleet", "check", str(fleet.file)
    done = fleet.unlatch(*check, OCTO="short").ends(2)
    assert "secret-short" in done.err
    assert "unlatch fleet serve" in fleet.unlatch(*check).ends(0).err


def test_check_shows_rights_webhooks_and_mistakes_of_each_repository(fleet: Fleet) -> None:
    sound, broken, failing = (fleet.add() for _ in range(3))
    fleet.box.github.add_hook(events=["issues"], repository=sound.name)
    fleet.box.github.add_hook(events=["issues"], repository=failing.name, code=502)
    fleet.box.github.add_hook(events=["push"], repository=broken.name)
    broken.commit({".unlatch/config.toml": f"{fleet.box.config()}\nnonsense = 1\n"})
    fleet.write()

    done = fleet.unlatch("fleet", "check", str(fleet.file), "--json").ends(5)

    by_key: dict[str, Any] = {e["repository"]: e for e in done.document["repositories"]}
    results = [by_key[str(repository.path)] for repository in (sound, broken, failing)]
    assert not [h["why"] for h in results[0]["webhooks"] if h["tracker"] == "github" and h["why"]]
    states = [[hooks["state"] for hooks in entry["webhooks"]] for entry in results]
    assert [["active", "unknown", "unknown"], [], ["failing", "unknown", "unknown"]] == states
    ids = [{f["id"] for f in e["findings"] if f["severity"] == "error"} for e in results]
    assert [set(), {"config-invalid"}, set()] == ids
    assert any(finding["id"] == "access" for finding in results[0]["findings"])
    assert {1} == {repository.commits for repository in (sound, failing)}
