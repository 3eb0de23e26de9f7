"""The targets, each with the packages whose edges count as its coverage.

Nothing of unlatch is imported here: what is fuzzed is instrumented when it is first imported.
"""

from types import MappingProxyType

_RECORDS = (
    "unlatch.increments.files.metadata_file",
    "unlatch.increments.files.snapshots",
    "unlatch.increments.model.status",
    "unlatch.increments.records",
    "unlatch.worklog.json_text",
    "unlatch.worklog.record",
)
_DOCUMENTS = ("unlatch.increments.documents", "unlatch.worklog.text.markdown_lines")
_LAYOUTS = (*_DOCUMENTS, "unlatch.increments.layouts.check_list", "unlatch.spi.body")
_TRANSCRIPTS = "unlatch_agents.transcripts"
_AGENTS = f"{_TRANSCRIPTS}.agents"
_SHARED = tuple(
    f"{_TRANSCRIPTS}.{name}" for name in ("findings", "jsonl", "model", "read", "values")
)
_TRANSPORT = ("unlatch.transport.answer", "unlatch.transport.error", "unlatch.transport.trace")
_EFFORTS = ("unlatch_efforts.events", "unlatch_efforts.effort_model", "unlatch_efforts.store")
_RUNS = (
    *(f"unlatch_runs.{name}" for name in ("event_base", "event_lines", "events", "reducer")),
    "unlatch.worklog.record",
)
# By the name of a target: its module in `readers`, and what is instrumented.
CATALOG = MappingProxyType(
    {
        "metadata": ("records", _RECORDS),
        "merge": ("records", ("unlatch_merge", *_RECORDS)),
        "events": ("records", ("unlatch.worklog.event_log", "unlatch.increments.records")),
        "toml": ("settings", ("unlatch.config", "unlatch.worklog.text.parsing")),
        "front-matter": (
            "documents",
            ("unlatch.increments.documents.front_matter", "unlatch.worklog.text.parsing"),
        ),
        "session": ("documents", ("unlatch_sessions", "unlatch.worklog.text.parsing")),
        "native": ("layouts", (*_DOCUMENTS, "unlatch.increments.layouts.native")),
        "spec-kit": ("layouts", (*_LAYOUTS, "unlatch_layouts.spec_kit.layout")),
        "kiro": ("layouts", (*_LAYOUTS, "unlatch_layouts.kiro")),
        "backlog-md": ("layouts", (*_LAYOUTS, "unlatch_layouts.backlog_md")),
        "openspec": ("layouts", (*_LAYOUTS, "unlatch_layouts.openspec")),
        "claude-code": ("transcripts", (*_SHARED, f"{_AGENTS}.claude")),
        "codex": ("transcripts", (*_SHARED, f"{_AGENTS}.codex")),
        "gemini-cli": ("transcripts", (*_SHARED, f"{_AGENTS}.gemini_cli")),
        "opencode": ("transcripts", (*_SHARED, f"{_AGENTS}.opencode")),
        "aider": ("transcripts", (*_SHARED, f"{_AGENTS}.aider")),
        "github": ("trackers", (*_TRANSPORT, "unlatch_github")),
        "ado": ("trackers", (*_TRANSPORT, "unlatch_ado")),
        "jira": ("trackers", (*_TRANSPORT, "unlatch_jira")),
        "webhook": ("requests", ("unlatch_github.webhook", "unlatch_github.states")),
        "comment": ("requests", ("unlatch_ci.comments", "unlatch.worklog.text.markdown_lines")),
        "hook": ("requests", ("unlatch_agents.hooks.hook_event",)),
        "mcp": ("requests", ("unlatch_mcp",)),
        "report": (
            "reports",
            ("unlatch_regressions.results.reports", "unlatch_regressions.results.case_names"),
        ),
        "added-tests": ("reports", ("unlatch_regressions.results.added_tests",)),
        "sarif": ("alerts", ("unlatch_regressions.alerts.sarif",)),
        "alert": (
            "alerts",
            ("unlatch_regressions.alerts.events", "unlatch_regressions.alerts.signed"),
        ),
        "new-item": ("alerts", ("unlatch_regressions.similar",)),
        "revert": (
            "commits",
            ("unlatch_regressions.branch.messages", "unlatch_regressions.branch.patches"),
        ),
        "model": ("models", ("unlatch_efforts.llm",)),
        "plan": ("work", ("unlatch_runs.plan", "unlatch.worklog.text.markdown_lines")),
        "saved-plan": ("work", ("unlatch_ci.approved", "unlatch.worklog.json_text")),
        "run": ("work", _RUNS),
        "worker": ("work", ("unlatch_runs.dispatch.protocol",)),
        "effort": ("work", (*_EFFORTS, "unlatch.worklog.event_log")),
        "workflow": ("work", ("unlatch_sessions.workflow", "unlatch.worklog.text.markdown_lines")),
    }
)
