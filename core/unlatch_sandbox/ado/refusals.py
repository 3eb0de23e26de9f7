"""Azure DevOps' errors: a code in the message, and a type key for the libraries."""

from __future__ import annotations

from typing import Any

from unlatch_sandbox.answers import Refusal

_NAMESPACE = "Microsoft.TeamFoundation.WorkItemTracking"


def refusal(
    status: int,
    type_key: str,
    message: str,
    *,
    event: int = 3200,
    namespace: str = f"{_NAMESPACE}.Server",
    **more: Any,
) -> Refusal:
    body = {
        "$id": "1",
        **more,
        "innerException": None,
        "message": message,
        "typeName": f"{namespace}.{type_key}, {namespace}",
        "typeKey": type_key,
        "errorCode": 0,
        "eventId": event,
    }
    return Refusal(status, body)


def no_item(item_id: int) -> Refusal:
    return refusal(
        404,
        "WorkItemUnauthorizedAccessException",
        f"TF401232: Work item {item_id} does not exist, or you do not have permissions to read it.",
    )


def no_project(name: str) -> Refusal:
    return refusal(
        404,
        "ProjectDoesNotExistWithNameException",
        f"TF200016: The following project does not exist: {name}. Verify that the name of the "
        "project is correct and that the project exists on the specified Azure DevOps Server.",
        namespace="Microsoft.TeamFoundation.Core.WebApi",
        event=3000,
    )


def no_team(name: str) -> Refusal:
    return refusal(
        404,
        "TeamNotFoundException",
        f"The team with id '{name}' does not exist or you do not have permission to access it.",
        namespace="Microsoft.TeamFoundation.Core.WebApi",
        event=3000,
    )


def no_type(name: str) -> Refusal:
    return refusal(
        404,
        "WorkItemTypeNotFoundException",
        f"VS402323: Work item type {name} does not exist, or you do not have permissions to "
        "read it.",
    )


def stale(actual: int, tested: int) -> Refusal:
    return refusal(
        412,
        "TestPatchOperationFailedException",
        f"VS403351: Test Operation for path /rev failed, value {actual} was not equal to test "
        f"value {tested}.",
        namespace="Microsoft.VisualStudio.Services.WebApi.Patch",
    )


def rule(field: str, flags: str) -> Refusal:
    name = field.rpartition(".")[2]
    message = f"TF401320: Rule Error for field {name}. Error code: {flags}."
    error = {
        "fieldReferenceName": field,
        "fieldStatusFlags": flags,
        "errorMessage": message,
        "fieldStatusCode": 524289,
        "ruleValidationErrors": None,
    }
    return refusal(
        400,
        "RuleValidationException",
        message,
        customProperties={
            "FieldReferenceName": field,
            "FieldStatusFlags": flags,
            "ErrorMessage": message,
            "FieldStatusCode": 524289,
            "RuleValidationErrors": [error],
        },
    )


def no_area_rights(item_id: int) -> Refusal:
    return refusal(
        403,
        "PermissionDeniedException",
        f"TF237111: The current user does not have permissions to save work items under the "
        f"specified area path. Work item {item_id} was not saved.",
    )


def no_such_path(item_id: int, field: str) -> Refusal:
    return refusal(
        400,
        "WorkItemFieldInvalidTreeNameException",
        f"TF401347: Invalid tree name given for work item {item_id}, field '{field}'.",
    )


def no_such_field(name: str) -> Refusal:
    return refusal(
        400,
        "WorkItemTrackingFieldDefinitionNotFoundException",
        f"TF51535: Cannot find field {name}.",
    )


def second_parent(item_id: int, parent: int) -> Refusal:
    return refusal(
        400,
        "WorkItemLinkInvalidException",
        f"TF201036: You cannot add a Child link between work items {parent} and {item_id} because "
        "a work item can have only one Parent link.",
    )


def too_many_revisions(item_id: int, revisions: int, most: int) -> Refusal:
    return refusal(
        500,
        "VssServiceException",
        f"Work item {item_id} has {revisions} revisions, but currently, when updating "
        f"via the API, only work items with up to {most} revisions are supported.",
    )


def version_out_of_range(asked: str, newest: str) -> Refusal:
    return refusal(
        400,
        "VssVersionOutOfRangeException",
        f"The requested REST API version of {asked} is out of range for this server. The latest "
        f"REST API version this server supports is {newest}.",
        namespace="Microsoft.VisualStudio.Services.WebApi",
        event=3000,
    )


def no_new_tags() -> Refusal:
    return refusal(
        403,
        "TagCreatePermissionDeniedException",
        "TF401289: The current user does not have permissions to create tags.",
    )


def unauthorized() -> Refusal:
    user = "00000000-0000-0000-0000-000000000000"
    return refusal(
        401,
        "UnauthorizedRequestException",
        f"TF400813: The user '{user}' is not authorized to access this resource.",
        namespace="Microsoft.TeamFoundation.Framework.Server",
        event=3000,
    )


def sign_in_page() -> Refusal:
    page = "<html><head><title>Azure DevOps Services | Sign In</title></head><body></body></html>"
    return Refusal(203, page)


def no_version(method: str) -> Refusal:
    return refusal(
        400,
        "VssVersionNotSpecifiedException",
        f'No api-version was supplied for the "{method}" request. The version must be supplied '
        'either as part of the Accept header (e.g. "application/json; api-version=1.0") or as a '
        'query parameter (e.g. "?api-version=1.0").',
        namespace="Microsoft.VisualStudio.Services.WebApi",
        event=3000,
    )


def content_type(given: str, method: str) -> Refusal:
    return refusal(
        415,
        "VssRequestContentTypeNotSupportedException",
        f'The request indicated a Content-Type of "{given}" for method type "{method}" which is '
        "not supported. Valid content types for this method are: application/json-patch+json.",
        namespace="Microsoft.VisualStudio.Services.WebApi",
        event=3000,
    )


def bad_argument(message: str) -> Refusal:
    return refusal(
        400,
        "VssPropertyValidationException",
        message,
        namespace="Microsoft.VisualStudio.Services.Common",
        event=3000,
    )
