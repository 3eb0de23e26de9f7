"""A third party's plugin, installed in a folder on sys.path as a distribution of its own."""

from collections.abc import Sequence
from pathlib import Path

DISTRIBUTION = "unlatch-redmine 1.2"
MANIFEST = """
from unlatch.spi import Capability, EnvToken, LinkShape, Manifest, Scheme

manifest = Manifest(
    name="redmine",
    title="Redmine",
    noun="issue",
    link=LinkShape(item="issue", url="url", number=True),
    synced=LinkShape(item="issueNumber", url="issueUrl", number=True),
    settings="PACKAGE.settings:RedmineSettings",
    plugin="PACKAGE.plugin:RedminePlugin",
    requires=("requests", "unlatch-redmine"),
    capabilities=frozenset({Capability.STATUS, Capability.REOPEN}),
    tokens=(EnvToken("REDMINE_KEY", Scheme.BEARER),),
    hosts=("redmine.example.com",),
    label_problem=lambda label: None,
    spi_version=2,
)
"""
SETTINGS = """
from pydantic import BaseModel, ConfigDict
from unlatch.spi import ItemRef

class RedmineSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    url: str
    target: str | None = None

    @property
    def base_url(self):
        return self.url

    def recognise(self, url):
        prefix, _, number = url.rpartition("/issues/")
        return self.locate(number, url) if prefix == self.url else None

    def locate(self, item, url):
        return ItemRef("redmine", "widgets", item, f"{self.url}/issues/{item}")

    def name(self, ref):
        return f"widgets#{ref.id}"

    def allows(self, ref):
        return True
"""
PLUGIN = """
from unlatch.spi import SyncPlugin

class RedminePlugin(SyncPlugin):
    def __init__(self, settings, transport):
        self.settings = settings

    def read(self, ref, change=None):
        raise AssertionError("not called")

    def write(self, snapshot, change):
        raise AssertionError("not called")

    def plan(self, snapshot, change):
        raise AssertionError("not called")

    def find_comments(self, ref, op):
        raise AssertionError("not called")
"""
FILES = {"__init__.py": MANIFEST, "settings.py": SETTINGS, "plugin.py": PLUGIN}


def install(
    folder: Path,
    package: str,
    *,
    file: str = "",
    old: str = "",
    new: str = "",
    more: Sequence[tuple[str, str, str]] = (),
) -> None:
    """Install the plugin as the distribution unlatch-redmine 1.2.

    Args:
        folder: a folder on sys.path.
        package: the name of its package; a process imports each only once.
        file: the file in which `old` is replaced by `new`.
        more: further files, each with its replacement.
    """
    place = folder / package
    place.mkdir(parents=True)
    for name, text in FILES.items():
        changed = text
        for here, was, now in ((file, old, new), *more):
            if here == name:
                assert was in changed
                changed = changed.replace(was, now, 1)
        (place / name).write_text(changed.replace("PACKAGE", package), encoding="utf-8")
    info = folder / "unlatch_redmine-1.2.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(f"[unlatch.plugins]\nredmine = {package}:manifest\n")
