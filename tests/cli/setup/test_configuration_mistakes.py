"""Mistakes in configuration files: the message names the expected value and place."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel
from tests.cli.project import Project
from tests.cli.setup.own_config import own_config

from unlatch.config.config import CoreConfig, UserConfig, validate
from unlatch.project.plugins.loading import load_settings
from unlatch.project.registry import Registry
from unlatch.spi.table_models import model_of
from unlatch.spi.tables import Table

# How pydantic puts it.
RAW = re.compile(
    r"Input should|Field required|Extra inputs|should (have|match)|tuple|dict|instance|boolean"
    r"|integer|Value error"
)
ODD: tuple[Any, ...] = (
    "x", "", 1, 1.5, -1, 1000, float("nan"), True, [1], ["x"], [""], {}, {"a": 1}, {"a": "x"},
    {"a": {"b": 1}}, {"a": [1]}, {"trackers": 1},
)  # fmt: skip


def problems(project: Project) -> list[str]:
    done = project.run("doctor", "--json")
    found = [one for one in done.document["findings"] if one["id"] == "config-invalid"]
    assert (1, True) == (done.code, bool(found)), done.said
    return [one["message"] for one in found]


def test_what_is_wrong_with_the_users_own_configuration(project: Project) -> None:
    elsewhere = "wrong file: it belongs in the project's .unlatch/config.toml"
    for setting, expected in (
        ('allowed_links = "/srv"', "allowed_links: expected a list of strings"),
        ("allowed_links = [1]", "allowed_links.0: expected a string"),
        ('allowed_links = ["srv"]', "allowed_links: 'srv' is not an absolute path"),
        ("trusted_hosts = true", "trusted_hosts: expected a table"),
        ("trusted_hosts = [1]", "trusted_hosts.0: expected a string"),
        ("trusted_hosts.jira = 'x'", "trusted_hosts.jira: expected a list of strings"),
        ("tasks_command = {}", "tasks_command: expected a list of strings"),
        ("editor = 1", "editor: unknown setting"),
        ("settle = 0", f"settle: {elsewhere}"),
        ("[trackers.github]", f"trackers: {elsewhere}"),
    ):
        own_config(project, setting)
        assert [expected] == problems(project), setting


def test_what_is_wrong_with_the_projects_configuration(project: Project) -> None:
    for settings, expected in (
        ('mentions = "yes please"', "mentions: expected true or false"),
        ("frequent_reopens = 0", "frequent_reopens: expected 1 or more"),
        ("frequent_reopens = 1.5", "frequent_reopens: expected a whole number"),
        ("settle = 61", "settle: expected 60 or less"),
        ("patience = 0", "patience: expected more than 0"),
        ("patience = []", "patience: expected a number"),
        ('comment = "loud"', 'comment: expected "full", "short" or "none"'),
        ("comment_template = 1", "comment_template: expected a string"),
        ("labels = 1", "labels: expected a table"),
        ("[limits]\nper_type = 1", "limits.per_type: expected a table"),
        ('[limits]\ncan_interrupt = [""]', "limits.can_interrupt.0: must not be empty"),
        ("[trackers.jira]", "trackers.jira.site: is missing"),
        (
            "[labels]\nsettle = 0",
            "labels.settle: wrong table: put settle above the first table, such as [labels]",
        ),
        ("[labels]\nlimits = 0", "labels.limits: unknown setting"),
    ):
        project.configure(settings)
        assert [expected] == problems(project), settings


@pytest.mark.parametrize("setting", ["allowed_links", "trusted_hosts", "tasks_command"])
def test_a_setting_of_the_users_own_is_not_taken_from_a_repository(
    single: Project, setting: str
) -> None:
    own = own_config(single, "")
    for table in ("", "[labels]\n", '[trackers.github]\nrepository = "o/w"\n'):
        single.configure(f'{table}{setting} = ["/srv"]\n')
        (told,) = problems(single)
        single.run("sync").ends(1, err=told)
        assert told.endswith(f"{setting}: wrong file: it belongs in your own configuration, {own}")
    assert "next: move it there" in single.run("doctor").out


def test_a_setting_in_a_wrong_table_is_recognised(project: Project) -> None:
    project.configure("max_active = 3\n")
    found = project.run("doctor", "--json").document["findings"]
    hints = [one["hint"] for one in found if one["id"] == "config-invalid"]
    assert ["did you mean limits.max_active?"] == hints


def models() -> dict[str, Any]:
    manifests = Registry().manifests
    trackers = {name: load_settings(one) for name, one in manifests.items()}
    return {"project": CoreConfig, "user": UserConfig, **trackers}


def places(model: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, field in model_of(model).model_fields.items():
        yield (*above, name)
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel | Table):
            yield from places(inner, (*above, name))


@pytest.mark.parametrize("name", models())
def test_no_setting_is_explained_in_the_words_of_the_library(name: str) -> None:
    model = models()[name]
    told = set()
    for place in places(model):
        for odd in ODD:
            values: Any = odd
            for key in reversed(place):
                values = {key: values}
            told |= {*validate(model, values, prefix="")[1]}
    assert told
    assert [] == [one for one in sorted(told) if RAW.search(one)]


def test_every_list_in_a_configuration_holds_strings() -> None:
    lists = set()
    for model in models().values():
        schema = model_of(model).model_json_schema()
        pending: list[Any] = [schema]
        while pending:
            one = pending.pop()
            if isinstance(one, dict):
                # A list of anything is one of several values that a field of Jira may have.
                if one.get("type") == "array" and one["items"]:
                    item = one["items"]
                    inner = schema["$defs"][item["$ref"].split("/")[-1]] if "$ref" in item else item
                    lists.add(inner["type"])
                pending += one.values()
            elif isinstance(one, list):
                pending += one
    assert {"string"} == lists


def test_a_mistake_in_the_users_file_ends_a_resume_before_anything_is_recorded(
    single: Project,
) -> None:
    path = own_config(single, 'tasks_comand = ["x"]\n')
    before = single.tree()
    done = single.run("resume", "7", "--reason", "Again", "--yes").shows(
        err=("error[config-invalid]", "tasks_comand")
    )
    assert (1, before) == (done.code, single.tree()), done.said
    assert str(path) in done.err
