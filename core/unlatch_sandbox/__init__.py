"""Stand-ins for GitHub, Azure DevOps and Jira over real HTTP on 127.0.0.1.

They keep state, check credentials, answer unknown requests with 501, and fail on demand. They are
for trying, testing and teaching, and no evidence of how a tracker really behaves.
"""

from unlatch_sandbox._requests import Request, RequestLog
from unlatch_sandbox._sandbox import Ports, Sandbox, serve
from unlatch_sandbox.faults import Fault, Faults
from unlatch_sandbox.store import BadState

__all__ = ["BadState", "Fault", "Faults", "Ports", "Request", "RequestLog", "Sandbox", "serve"]
