"""Settings that break a promise of the interface fail the kit, which names the promise."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from unlatch.errors import ConfigError
from unlatch.spi import ItemRef, Settings
from unlatch.testing.behaviour import Behaviour
from unlatch.testing.fixture import Fixture


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


def failure_of(fixture: Fixture, attribute: str, changed: object, test: str) -> str:
    """The failure of a test of the kit with a changed attribute of the fixture."""
    kit: Callable[[Fixture], None] = getattr(Behaviour(), f"test_{test}")
    vars(fixture)[attribute] = changed
    with pytest.raises(AssertionError) as caught:
        kit(fixture)
    return str(caught.value)


ADDRESS, ELSEWHERE = "an_address_leads_back_to_its_item", "an_item_elsewhere_is_not_allowed"


@pytest.mark.parametrize(
    ("changed", "test", "promise"),
    [
        (AllowsEverything, ELSEWHERE, "an item elsewhere is not allowed"),
        (GoesByTheNumber, ELSEWHERE, "`locate` goes by the address"),
        (IgnoresTheTarget, ELSEWHERE, "`locate` goes by the target in front of an id"),
        (KnowsNumbersAlone, ADDRESS, "`locate` accepts the name"),
        (NamesItemsLikeWords, ADDRESS, "`name` has a form that commands take for an item"),
        (ReadsBeginnings, ADDRESS, "`recognise` reads whole addresses"),
        (TripsOverFragments, ADDRESS, "a fragment is ignored"),
    ],
)
def test_broken_settings_are_named(
    changed: type[Changed], test: str, promise: str, fixture: Fixture
) -> None:
    assert promise in failure_of(fixture, "settings", changed(fixture.settings), test)


def test_a_manifest_that_accepts_any_label_is_named(fixture: Fixture) -> None:
    manifest = replace(fixture.manifest, label_problem=lambda _label: None)
    test = "the_manifest_is_found_and_says_what_is_true"
    promise = "`label_problem` refuses an empty label"
    assert promise in failure_of(fixture, "manifest", manifest, test)
