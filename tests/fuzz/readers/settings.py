"""Configuration in TOML, the project's and the user's."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tests.docs.pages import ROOT
from tests.fuzz.target import Target

from unlatch.config.config import RawConfig, UserConfig, merge_config, parse, validate
from unlatch.errors import ConfigError
from unlatch.increments.files.paths import ProjectPaths, paths_at


@cache
def _paths() -> ProjectPaths:
    return paths_at(Path(mkdtemp(prefix="unlatch-fuzz-")))


def _read(data: bytes) -> RawConfig | None:
    try:
        values = parse(lambda _: data, _paths().config)
    except ConfigError:
        return None
    validate(UserConfig, values, prefix="")
    return merge_config(_paths(), values)


def _seeds() -> Iterator[bytes]:
    for page in sorted((ROOT / "docs").glob("*.md")):
        for block in page.read_text(encoding="utf-8").split("```toml\n")[1:]:
            yield block.partition("```")[0].encode()


TARGETS = {
    "toml": Target(
        _read,
        _seeds,
        lambda config: config is not None and len(config.problems) > 5,
    )
}
