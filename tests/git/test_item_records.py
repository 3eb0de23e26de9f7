"""Records of items are merged by git as those of increments."""

import json
from typing import Any

from tests.git.clone import Clone

Two = tuple[Clone, Clone]
KEY = "octo/widgets#5"


def change(clone: Clone, verb: str, reason: str) -> None:
    clone.unlatch(verb, KEY, "--reason", reason, "--by", "Gil", "--offline")
    clone.commit(reason)


def record(clone: Clone) -> dict[str, Any]:
    [path] = (clone.home / ".unlatch/items").glob("*/metadata.json")
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


def test_reopened_in_two_clones_for_different_reasons(two: Two) -> None:
    there, here = two
    change(there, "reopen", "theirs")
    change(here, "reopen", "ours")

    here.merge()

    merged = record(here)
    assert {"ours", "theirs"} == {one["reason"] for one in merged["reopenHistory"]}
    assert 2 == len(merged["pending"])
    assert "" == here.git("status", "--porcelain")


def test_a_conflict_is_resolved_as_that_of_an_increment(two: Two) -> None:
    there, here = two
    change(there, "reopen", "theirs")
    change(here, "close", "ours")
    here.clash()
    [folder] = (here.home / ".unlatch/items").iterdir()

    here.unlatch("merge", "--resolve", folder.name, "--ours", "--add")

    assert "completed" == record(here)["status"]
    assert 2 == len(record(here)["pending"])
