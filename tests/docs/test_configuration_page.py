"""The examples on docs/configuration.md are valid, and it lists paths and environment variables."""

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest

from unlatch.config.config import read_config, read_user_config
from unlatch.increments.files.paths import paths_at
from unlatch.project.check_trackers import check_trackers
from unlatch.project.registry import Registry
from unlatch.spi import EnvToken
from unlatch.transport.trust import TRUSTED_HOSTS
from unlatch.worklog.disk.user_files import user_config_file

PAGE = (Path(__file__).parents[2] / "docs/configuration.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", [e for e in EXAMPLES if "trusted_hosts" not in e])
def test_an_example_is_a_valid_configuration(example: str, tmp_path: Path) -> None:
    (tmp_path / ".unlatch").mkdir()
    (tmp_path / ".unlatch/config.toml").write_text(example, encoding="utf-8")
    raw = read_config(paths_at(tmp_path))
    settings, problems, _ = check_trackers(raw, Registry())
    assert problems == ()
    assert tomllib.loads(example).get("trackers", {}).keys() == settings.keys()


def test_the_example_of_the_users_own_configuration_is_valid(tmp_path: Path) -> None:
    (example,) = [e for e in EXAMPLES if "trusted_hosts" in e]
    path = tmp_path / "config.toml"
    path.write_text(example, encoding="utf-8")
    hosts = read_user_config(path).trusted_hosts
    assert hosts == {"github": ("github.example.com",), "jira": ("jira.example.com:8443",)}


@pytest.mark.skipif(sys.platform != "linux", reason="the rows are about Linux")
@pytest.mark.parametrize(("condition", "is_set"), [("with", True), ("without", False)])
def test_the_path_of_the_users_own_configuration_is_right(
    condition: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, is_set: bool
) -> None:
    (path,) = re.findall(rf"^\| Linux, {condition} [^|]*\| `([^`]+)` \|$", PAGE, re.MULTILINE)
    monkeypatch.setenv("HOME", str(tmp_path))
    if is_set:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configured"))
    else:
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert Path(os.path.expandvars(path)).expanduser() == user_config_file()


def test_every_variable_of_the_trackers_is_explained() -> None:
    names = {TRUSTED_HOSTS}
    for manifest in Registry().manifests.values():
        names |= {*manifest.host_env, *manifest.secret_env}
        for place in manifest.tokens:
            if isinstance(place, EnvToken):
                names |= {place.token, *filter(None, [place.user])}
    assert sorted(name for name in names if f"`{name}`" not in PAGE) == []
