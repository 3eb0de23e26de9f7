"""The model comes from the user's own configuration, and its mistakes have a next step."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_efforts.llm.asking import CONFIG

from unlatch.config.choices import Provider
from unlatch.config.config import read_config, read_user_config
from unlatch.config.tables import LlmConfig
from unlatch.errors import ConfigError, ModelError, ModelUnauthorised, UnlatchError
from unlatch.increments.files.paths import paths_at
from unlatch_efforts.llm import open_model

LOCAL: dict[str, Any] = {"base_url": "http://127.0.0.1:9/v1", "model": "small"}


def refused(environ: dict[str, str] | None = None, **settings: Any) -> UnlatchError:
    with pytest.raises(UnlatchError) as caught:
        open_model(LlmConfig(**settings), environ=environ or {}, where=CONFIG)
    return caught.value


def own(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return path


def test_a_model_of_a_repository_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".unlatch").mkdir()
    own(tmp_path / ".unlatch", '[llm]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "x"\n')

    (problem,) = read_config(paths_at(tmp_path)).problems

    assert problem.startswith("llm: wrong file: it belongs in your own configuration, ")


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({}, "base_url and model are missing"),
        ({"model": "small"}, "base_url is missing"),
        ({"base_url": "http://127.0.0.1:9/v1"}, "model is missing"),
        ({"provider": "litellm"}, "model is missing"),
    ],
)
def test_what_is_missing_is_named(settings: dict[str, Any], missing: str) -> None:
    error = refused(**settings)

    assert (ModelError, "llm-unconfigured") == (type(error), error.id)
    assert f"no chat model is configured: {missing} under [llm]" == error.message
    assert str(CONFIG) == error.where


def test_the_hint_about_a_missing_model_is_a_configuration_that_works(tmp_path: Path) -> None:
    hint = refused().hint or ""
    path = own(tmp_path, "[llm]\n" + "\n".join(hint.partition(", with ")[2].split(" and ")))

    assert open_model(read_user_config(path).llm, environ={}, where=path)


@pytest.mark.parametrize("environ", [{}, {"MY_KEY": ""}])
def test_a_key_that_is_not_set_is_missed_before_anything_is_sent(environ: dict[str, str]) -> None:
    error = refused(environ, **LOCAL, key_env="MY_KEY")

    assert (ModelUnauthorised, "llm-key-missing", 4) == (type(error), error.id, error.exit_code)
    assert error.hint is not None
    assert error.hint.startswith("export MY_KEY=KEY")


def test_a_key_that_cannot_be_sent_is_not_shown() -> None:
    error = refused({"MY_KEY": "sk-1\nsecret"}, **LOCAL, key_env="MY_KEY")

    assert "credential-malformed" == error.id
    assert "MY_KEY" in error.message
    assert "secret" not in repr(vars(error))


MISTAKES = {
    'key_env = "sk-12345"': (
        "llm.key_env: expected the name of an environment variable, not the key itself"
    ),
    "timeout = 0": "llm.timeout: expected more than 0",
    "timeout = 3601": "llm.timeout: expected 3600 or less",
    'provider = "x"': 'llm.provider: expected "openai" or "litellm"',
    'model = ""': "llm.model: must not be empty",
    'key = "sk-12345"': "llm.key: unknown setting",
}


@pytest.mark.parametrize(("setting", "problem"), MISTAKES.items())
def test_mistakes_are_explained_without_the_key(tmp_path: Path, setting: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_user_config(own(tmp_path, f"[llm]\n{setting}\n"))

    assert (problem,) == caught.value.problems
    assert "sk-12345" not in repr(vars(caught.value))


@pytest.mark.parametrize("provider", list(Provider))
@pytest.mark.parametrize(
    ("address", "id"),
    [
        ("http://models.example/v1", "insecure-url"),
        ("ftp://models.example/v1", "url-malformed"),
        ("https://me:pw@models.example/v1", "url-with-credentials"),
    ],
)
def test_an_address_that_no_key_may_be_sent_to_is_refused(
    provider: Provider, address: str, id: str
) -> None:
    settings = {"provider": provider, "base_url": address, "model": "small", "key_env": "MY_KEY"}
    assert id == refused({"MY_KEY": "abc"}, **settings).id


@pytest.mark.skipif(find_spec("litellm") is not None, reason="litellm is installed")
def test_litellm_that_is_not_installed_is_named_with_its_extra() -> None:
    error = refused(provider="litellm", model="anthropic/x")

    assert error.id == "llm-extra-missing"
    assert (error.hint or "").endswith(" -m pip install 'unlatch[litellm]'")
