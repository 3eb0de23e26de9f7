"""Settings that break a promise of the interface fail the kit, which names the promise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.conformance.test_github import GithubHarness

from unlatch.errors import ConfigError
from unlatch.testing import Proxy
from unlatch.testing.behaviour import Behaviour
from unlatch.testing.fixture import Fixture
from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unlatch.spi import ItemRef, Settings


class Changed:
    """Settings with one method of their own."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def __getattr__(self, name: str) -> Any:
        return getattr(self.settings, name)


class AllowsEverything(Changed):
    def allows(self, _ref: ItemRef) -> bool:
        return True


class GoesByTheNumber(Changed):
    def locate(self, item: str, _url: str | None) -> ItemRef:
        return self.settings.locate(item, None)


class KnowsNumbersAlone(Changed):
    def locate(self, item: str, url: str | None) -> ItemRef:
        if not item.isdigit():
            raise ConfigError((item,), where="[trackers.github]")
        return self.settings.locate(item, url)


class IgnoresTheTarget(Changed):
    def locate(self, item: str, url: str | None) -> ItemRef:
        return self.settings.locate(item.rpartition("#")[2], url)


class NamesItemsLikeWords(Changed):
    def name(self, ref: ItemRef) -> str:
        return f"issue{ref.id}"


class ReadsBeginnings(Changed):
    def recognise(self, url: str) -> ItemRef | None:
        return self.settings.recognise(url.partition("-and-")[0])


class TripsOverFragments(Changed):
    def recognise(self, url: str) -> ItemRef | None:
        return None if "#" in url else self.settings.recognise(url)


_MANIFEST = Behaviour().test_the_manifest_is_found_and_says_what_is_true
_ADDRESS = Behaviour().test_an_address_leads_back_to_its_item
_ELSEWHERE = Behaviour().test_an_item_elsewhere_is_not_allowed


@pytest.mark.parametrize(
    ("changed", "test", "promise"),
    [
        (AllowsEverything, _ELSEWHERE, "an item elsewhere is not allowed"),
        (GoesByTheNumber, _ELSEWHERE, "`locate` goes by the address"),
        (IgnoresTheTarget, _ELSEWHERE, "`locate` goes by the target in front of an id"),
        (KnowsNumbersAlone, _ADDRESS, "`locate` accepts the name"),
        (NamesItemsLikeWords, _ADDRESS, "`name` has a form that commands take for an item"),
        (ReadsBeginnings, _ADDRESS, "`recognise` reads whole addresses"),
        (TripsOverFragments, _ADDRESS, "a fragment is ignored"),
    ],
)
def test_broken_settings_are_named(
    changed: type[Changed], test: Callable[[Fixture], None], promise: str, tmp_path: Path
) -> None:
    with Sandbox() as box, Proxy((harness := GithubHarness(box)).server) as proxy:
        fixture = Fixture(harness, proxy, tmp_path)
        test(fixture)
        vars(fixture)["settings"] = changed(fixture.settings)
        with pytest.raises(AssertionError, match=promise):
            test(fixture)


def test_a_manifest_that_accepts_any_label_is_named(tmp_path: Path) -> None:
    with Sandbox() as box, Proxy((harness := GithubHarness(box)).server) as proxy:
        fixture = Fixture(harness, proxy, tmp_path)
        _MANIFEST(fixture)
        vars(fixture)["manifest"] = replace(fixture.manifest, label_problem=lambda _label: None)
        with pytest.raises(AssertionError, match="`label_problem` refuses an empty label"):
            _MANIFEST(fixture)
