"""A hook of MkDocs: pages have GitHub's anchors, and link to files beside docs/."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File
from pymdownx.slugs import slugify

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

# Paths in the repository, and on the site. It has a page security.md, too, and some file systems
# do not tell the two apart.
BESIDE = {
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "report-a-vulnerability.md",
    "ci/azure-pipelines.yml": "ci/azure-pipelines.yml",
    "ci/gitlab-ci.yml": "ci/gitlab-ci.yml",
}
_PLACES = {ours: theirs for theirs, ours in BESIDE.items()}
_TARGET = re.compile(r"(?<=\]\()(?![a-z]+:)[^)#\s]+")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make anchors as GitHub does."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files beside docs/."""
    root = Path(config.config_file_path).parent
    for name, place in BESIDE.items():
        files.append(File.generated(config, place, abs_src_path=str(root / name)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Let links to and from files beside docs/ lead to their places on the site."""
    place = page.file.src_uri
    folder = posixpath.dirname(_PLACES.get(place, f"docs/{place}"))

    def moved(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[0]))
        if target not in BESIDE and place not in _PLACES:
            return match[0]
        there = BESIDE.get(target) or target.removeprefix("docs/")
        return posixpath.relpath(there, posixpath.dirname(place) or ".")

    return _TARGET.sub(moved, markdown)
