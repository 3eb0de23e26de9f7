"""Authentication, API version, project and work item of a request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from flask import g, request

from unlatch_sandbox.ado import refusals
from unlatch_sandbox.answers import admin_of

if TYPE_CHECKING:
    from unlatch_sandbox.ado.admin import AdoAdmin
    from unlatch_sandbox.ado.boards import Boards
    from unlatch_sandbox.ado.processes import WorkItemType
    from unlatch_sandbox.ado.records import ProjectRecord, WorkItemRecord

ANY_QUERY = ("api-version",)


def admin() -> AdoAdmin:
    return cast("AdoAdmin", admin_of(request.environ))


def boards() -> Boards:
    return admin().boards


def organization_url() -> str:
    """The base address of the request, with the organization."""
    return request.host_url.rstrip("/") + "/" + request.path.split("/")[1]


def authenticate() -> None:
    name = admin().users.get(_token())
    if name is None:
        # Azure DevOps treats a request without a valid credential like a browser's.
        if request.method in ("GET", "HEAD", "POST", "OPTIONS"):
            raise refusals.sign_in_page()
        raise refusals.unauthorized()
    g.user = name


def _token() -> str:
    credentials = request.authorization
    if credentials is None:
        return ""
    if credentials.type == "basic":
        return credentials.password or ""
    return (credentials.token or "") if credentials.type == "bearer" else ""


def check_version(*, preview: bool = False) -> None:
    """The version is in the query or the Accept header; a change requires one."""
    version = request.args.get("api-version") or _accepted_version()
    _check_range(version)
    if not version:
        if request.method not in ("GET", "OPTIONS"):
            raise refusals.no_version(request.method)
    elif preview and "preview" not in version:
        raise refusals.refusal(
            400,
            "VssInvalidPreviewVersionException",
            f'The requested version "{version}" of the resource is under preview. The -preview '
            "flag must be supplied in the api-version for such requests. For example: "
            f'"{version}-preview"',
            namespace="Microsoft.VisualStudio.Services.WebApi",
            event=3000,
        )


def _check_range(version: str) -> None:
    asked, newest = re.match(r"\d+\.\d+", version), admin().newest_version
    if asked is not None and float(asked[0]) > float(newest):
        raise refusals.version_out_of_range(asked[0], newest)


def _accepted_version() -> str:
    match = re.search(r"api-version=([\w.-]+)", request.headers.get("Accept", ""))
    return match[1] if match else ""


def project(name: str) -> ProjectRecord:
    record = boards().project(name)
    if record is None:
        raise refusals.no_project(name)
    return record


def home_of(item: WorkItemRecord) -> ProjectRecord:
    return project(item.project)


def item(item_id: int, project_name: str | None, *, deleted: bool = False) -> WorkItemRecord:
    home = project(project_name) if project_name else None
    record = boards().item(item_id)
    elsewhere = record is not None and home is not None and record.project != home.name
    if record is None or elsewhere or record.deleted is not deleted or is_hidden(record):
        raise refusals.no_item(item_id)
    return record


def is_hidden(item: WorkItemRecord) -> bool:
    """Whether the token may not see the item, because of its area."""
    return home_of(item).areas.get(item.fields["System.AreaPath"]) == "nothing"


def kind(home: ProjectRecord, name: str) -> WorkItemType:
    wanted = name.casefold()
    kinds = boards().types(home).values()
    match = next(
        (t for t in kinds if wanted in (t.name.casefold(), t.reference_name.casefold())), None
    )
    if match is None:
        raise refusals.no_type(name)
    return match


def patch_document() -> Any:
    if request.mimetype != "application/json-patch+json":
        raise refusals.content_type(request.mimetype, request.method)
    return request.get_json(force=True, silent=True)
