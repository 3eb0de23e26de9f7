"""Settings that break a promise of the interface fail the kit, which names the promise."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from unlatch.errors import ConfigError
from unlatch.spi import ItemRef, Settings
from unlatch.testing.behaviour import Behaviour
from unlatch.testing.harness import Fixture


class Changed:
    """Settings with one method of their own, which gets the right ones."""

    def __init__(self, settings: Settings, method: str, wrong: Callable[..., Any]) -> None:
        self.settings = settings
        vars(self)[method] = partial(wrong, settings)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.settings, name)


def _by_numbers_alone(settings: Settings, item: str, url: str | None) -> ItemRef:
    if not item.isdigit():
        raise ConfigError((item,), where="[trackers.github]")
    return settings.locate(item, url)


def failure_of(fixture: Fixture, attribute: str, changed: object, test: str) -> str:
    """The failure of a test of the kit with a changed attribute of the fixture."""
    kit: Callable[[Fixture], None] = getattr(Behaviour(), f"test_{test}")
    vars(fixture)[attribute] = changed
    with pytest.raises(AssertionError) as caught:
        kit(fixture)
    return str(caught.value)


ADDRESS, ELSEWHERE = "an_address_leads_back_to_its_item", "an_item_elsewhere_is_not_allowed"


@pytest.mark.parametrize(
    ("method", "wrong", "test", "promise"),
    [
        ("allows", lambda *_: True, ELSEWHERE, "an item elsewhere is not allowed"),
        ("locate", lambda s, i, _: s.locate(i, None), ELSEWHERE, "`locate` goes by the address"),
        (
            *("locate", lambda s, item, url: s.locate(item.rpartition("#")[2], url), ELSEWHERE),
            "`locate` goes by the target in front of an id",
        ),
        ("locate", _by_numbers_alone, ADDRESS, "`locate` accepts the name"),
        (
            *("name", lambda _, ref: f"issue{ref.id}", ADDRESS),
            "`name` has a form that commands take for an item",
        ),
        (
            *("recognise", lambda s, url: s.recognise(url.partition("-and-")[0]), ADDRESS),
            "`recognise` reads whole addresses",
        ),
        (
            *("recognise", lambda s, url: None if "#" in url else s.recognise(url), ADDRESS),
            "a fragment is ignored",
        ),
    ],
)
def test_broken_settings_are_named(
    method: str, wrong: Callable[..., Any], test: str, promise: str, fixture: Fixture
) -> None:
    assert promise in failure_of(
        fixture, "settings", Changed(fixture.settings, method, wrong), test
    )


def test_a_manifest_that_accepts_any_label_is_named(fixture: Fixture) -> None:
    manifest = replace(fixture.manifest, label_problem=lambda _label: None)
    test = "the_manifest_is_found_and_says_what_is_true"
    promise = "`label_problem` refuses an empty label"
    assert promise in failure_of(fixture, "manifest", manifest, test)
