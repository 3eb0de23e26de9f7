"""JSON Schemas of the files that people and other programs read or write."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from unlatch.config.config import CoreConfig, UserConfig
from unlatch.lifecycle.planned.saved import SavedPlan
from unlatch.lifecycle.scoping.proposed_tasks import ProposedTasks
from unlatch.project.plugins.loading import load_settings
from unlatch.project.registry import shapes_of
from unlatch.spi import Manifest
from unlatch.spi.table_models import model_of
from unlatch_doctor.schemas import (
    Schema,
    event_schema,
    metadata_schema,
    schema_of,
    settings_schema,
)
from unlatch_fleet.fleet_file import FleetFile


def file_schemas(manifests: Mapping[str, Manifest]) -> dict[str, Schema]:
    """The schemas of all files, by their names, for these trackers."""
    return {
        "metadata": metadata_schema(shapes_of(manifests)),
        "event": event_schema(),
        "config": settings_schema(
            _config(manifests), name="config", title="A project's .unlatch/config.toml"
        ),
        "user-config": settings_schema(
            UserConfig, name="user-config", title="The user's own config.toml of unlatch"
        ),
        "fleet": schema_of(FleetFile, name="fleet", title="A list of repositories: fleet.toml"),
        "proposed-tasks": schema_of(
            ProposedTasks, name="proposed-tasks", title="Tasks for a scope change"
        ),
        "plan": schema_of(SavedPlan, name="plan", title="A dry run that can be approved"),
    }


def _config(manifests: Mapping[str, Manifest]) -> type[BaseModel]:
    # By alias, because a tracker's name may clash with a model's attribute.
    tables: dict[str, Any] = {
        f"table_{name}": (load_settings(manifest) | None, Field(None, alias=name))
        for name, manifest in manifests.items()
    }
    # Another plugin may be installed where the schema is used.
    others = ConfigDict(extra="allow")
    trackers = create_model("Trackers", __config__=others, __doc__="One table each.", **tables)
    return create_model(
        "Config",
        __base__=model_of(CoreConfig),
        __doc__="The settings of a project; docs/configuration.md explains them.",
        trackers=(trackers | None, Field(None, description="the trackers that are in use")),
    )
