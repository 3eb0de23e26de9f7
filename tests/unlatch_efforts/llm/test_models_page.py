"""The examples on docs/models.md run, and are valid configurations."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from unlatch.config.config import read_user_config
from unlatch.transport.trust import check_secure
from unlatch_efforts.llm import open_model

PAGE = (Path(__file__).parents[3] / "docs/models.md").read_text(encoding="utf-8")
ADDRESSES = re.findall(r"^\| [^|]+ \| `(http[^`]+)` \|", PAGE, re.MULTILINE)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_the_program_runs() -> None:
    (program,) = blocks("python")

    exec(compile(program, "docs/models.md", "exec"), {})


@pytest.mark.parametrize("example", blocks("toml"))
def test_an_example_is_a_configuration_that_opens_a_model(example: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(example, encoding="utf-8")

    if "litellm" in example and find_spec("litellm") is None:
        pytest.skip("litellm is not installed")
    assert open_model(read_user_config(path).llm, environ={"OPENAI_API_KEY": "x"}, where=path)


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_may_be_used(address: str) -> None:
    check_secure(address)
