"""The user's own configuration."""

from pathlib import Path

from tests.cli.project import Project


def own_config(project: Project, text: str | None = None) -> Path:
    """Where it is, after writing it; without a text it is left as it is."""
    path = project.home / ".config/unlatch/config.toml"
    # Wherever this system keeps users' configuration.
    project.extra["XDG_CONFIG_HOME"] = str(project.home / ".config")
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path
