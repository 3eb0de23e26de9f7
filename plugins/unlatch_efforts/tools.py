"""The tools for a model to manage efforts: definitions, answers, and errors as answers."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.chat_model import estimate
from unlatch.errors import UnlatchError, UsageError
from unlatch.transport.answer import parse_json
from unlatch_efforts.effort_model import AMBIENT, Effort
from unlatch_efforts.entries import said_text, spoken_text
from unlatch_efforts.limits import MESSAGE, SUMMARY, TITLE, check_summary, cut, summary_missing
from unlatch_efforts.state import expanded_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch_efforts.conversation import Turn

# The next steps of errors: tools for a model, in place of commands.
_HINTS = {
    "effort-missing": "effort_status lists them; name one by its id",
    "effort-not-concluded": "switch_effort makes it the active one",
    "effort-not-expanded": "effort_status lists the expanded ones",
    "effort-not-open": "reopen_effort continues it",
    "effort-unknown": "effort_status lists them all",
    "summary-missing": "conclude_effort takes a summary of your own",
}
# In characters; a shorter log is a stub and gets no summary.
STUB = 50
_LONGEST = 40

Answer = dict[str, Any]


def _tool(name: str, description: str, /, **parameters: str) -> dict[str, Any]:
    required = [parameter for parameter in parameters if not parameter.endswith("_")]
    properties = {
        parameter.rstrip("_"): {"type": "string", "description": text}
        for parameter, text in parameters.items()
    }
    schema = {"type": "object", "properties": properties, "required": required}
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


# A parameter with a final underscore is optional.
DEFINITIONS = (
    _tool(
        "open_effort",
        "Open a new effort for focused work on a topic. It becomes the active one. An open effort "
        "of that name is switched to; a concluded one is offered instead.",
        name="A short name, as in auth-bug.",
    ),
    _tool(
        "close_effort",
        "Conclude an effort. Summarizes the conversation and removes raw log from working context. "
        "Concluded efforts can be reopened later with reopen_effort if the user returns to the "
        "topic. Only call when the user explicitly says the work is DONE or COMPLETE.",
        id_="The effort to conclude; the active one by default.",
        summary_="What was done, decided and rejected; without one, it is written from the log.",
    ),
    _tool(
        "conclude_effort",
        "Conclude an effort with a summary of your own, of fewer than 100 tokens. Only call when "
        "the user explicitly says the work is DONE or COMPLETE.",
        effort_id="The effort to conclude.",
        summary="What was done, decided and rejected; it covers the whole log.",
    ),
    _tool("effort_status", "List the efforts with their status, and which one is active."),
    _tool(
        "expand_effort",
        "Load the log of a concluded effort into the context, to read it without reopening it.",
        id="The concluded effort ID to expand.",
    ),
    _tool(
        "collapse_effort",
        "Put an expanded effort back to its summary.",
        id="The expanded effort ID to collapse.",
    ),
    _tool(
        "switch_effort",
        "Make another open effort the active one; `ambient` leaves efforts for other talk.",
        id="The open effort ID to switch to, or ambient.",
    ),
    _tool(
        "reopen_effort",
        "Reopen a concluded effort to continue working on it. The original conversation history is "
        "preserved — new messages append to the existing log. Use when the user wants to return "
        "to a past topic. If the user names a specific effort, call directly. If ambiguous, use "
        "search_efforts first and ask the user.",
        id="The concluded effort ID to reopen.",
    ),
    _tool(
        "search_efforts",
        "Find efforts by their titles, summaries and logs, also those that are not in the context. "
        "Call it before opening an effort on a topic that may have been worked on.",
        query="Words of the topic.",
    ),
)


class Tools:
    """The tools over one turn of a conversation.

    Args:
        summarize: writes the summary of an effort from the text of its log.
        search: finds efforts for `search_efforts`, in the form of its answer.
        said: the lines of this turn, which are in no log yet.
    """

    def __init__(
        self,
        turn: Turn,
        *,
        summarize: Callable[[str], str],
        search: Callable[[str], Sequence[Answer]],
        said: Callable[[], Sequence[dict[str, Any]]] = tuple,
        count: Callable[[str], int] = estimate,
        banners: list[str] | None = None,
    ) -> None:
        self._turn, self._efforts = turn, turn.efforts
        self._summarize, self._search, self._said, self._count = summarize, search, said, count
        self._table: dict[str, Callable[..., Answer]] = {
            "open_effort": self._open,
            "close_effort": self._close,
            "conclude_effort": self._conclude,
            "effort_status": self._status,
            "expand_effort": self._expand,
            "collapse_effort": self._collapse,
            "switch_effort": self._switch,
            "reopen_effort": self._reopen,
            "search_efforts": self._found,
        }
        self.banners = [] if banners is None else banners
        # The user is asked about this one before an effort begins, and a call was refused for it.
        self.ask: Effort | None = None
        self.is_due = False
        # The user does not want to reopen this one.
        self.keep: Effort | None = None
        self._reopened: dict[str, Answer] = {}

    @property
    def active(self) -> str | None:
        """The active effort."""
        return self._turn.state.active

    def call(self, name: str, arguments: str) -> Answer:
        """The answer of a tool; `{"error": {id, message, hint}}` if it fails."""
        try:
            if name not in self._table:
                raise _mistake("tool-unknown", f"there is no tool '{name}'", ", ".join(self._table))
            return self.run(name, **_arguments(name, arguments))
        except UnlatchError as error:
            # A hint with candidates is for both.
            hint = error.hint if error.problems else _HINTS.get(error.id, error.hint)
            self.say(f"Not done: {name[:_LONGEST]}: {error.message[:TITLE]}")
            return {"error": {"id": error.id, "message": error.message, "hint": hint or ""}}

    def run(self, name: str, /, **arguments: Any) -> Answer:
        """The answer of an existing tool; raises UnlatchError if it fails."""
        return self._table[name](**arguments)

    def _open(self, name: str) -> Answer:
        earlier = self._efforts.named(name)
        if earlier is None and self.ask:
            self.is_due = True
            return self._asking(self.ask, "A concluded effort resembles the user's message.")
        if earlier is None:
            effort = self._efforts.open(name)
            self._turn.activate(effort.id)
            self.say(f"Started effort: {effort.id}")
            return {"status": "opened", "effort_id": effort.id}
        if earlier.is_open:
            return self._switch(earlier.id)
        if self.keep and earlier.id == self.keep.id:
            return _kept(earlier)
        return self._asking(earlier, "A concluded effort has this name.")

    def _asking(self, effort: Effort, why: str) -> Answer:
        """The answer that makes a model ask the user first."""
        return {
            "status": "concluded",
            "candidates": [_described(effort)],
            "message": f"{why} Ask the user whether to reopen it, or to open one with another "
            "name. Wait for the answer.",
        }

    def _close(self, id: str | None = None, summary: str | None = None) -> Answer:
        if summary is not None:
            return self._conclude(id, summary)
        return self._end(self._open_one(id), None)

    def _conclude(self, effort_id: str | None, summary: str) -> Answer:
        if not summary.strip():
            raise summary_missing("the summary is empty")
        check_summary(summary)
        return self._end(self._open_one(effort_id), summary.strip())

    def _end(self, effort: Effort, summary: str | None) -> Answer:
        if summary is None:
            log = [*self._efforts.transcript(effort.id).read(), *self._said()]
            # With a log too short for a summary, the earlier one stays.
            is_stub = len(said_text(log)) < STUB
            summary = effort.summary if is_stub else self._summary(log)
        effort = self._efforts.conclude(effort.id, summary)
        self._turn.refer([effort.id])
        if self._turn.state.active == effort.id:
            others = [other for other in self._efforts.all() if other.is_open]
            self._turn.activate(others[0].id if others else None, follows=True)
        self.say(f"Concluded effort: {effort.id}")
        active = self._turn.state.active
        return {
            "status": "concluded",
            "effort_id": effort.id,
            "summary": effort.summary,
            "active": active,
        }

    def _summary(self, log: Sequence[dict[str, Any]]) -> str:
        if summary := self._summarize(spoken_text(log)).strip():
            return cut(summary, SUMMARY)
        raise summary_missing("the model wrote no summary")

    def _status(self) -> Answer:
        state, efforts = self._turn.state, self._efforts.all()
        return {
            "active": state.active,
            "expanded": expanded_in(state, efforts),
            "turn": state.turn,
            "efforts": [_described(effort) for effort in efforts],
        }

    def _expand(self, id: str) -> Answer:
        effort = self._efforts.find(id)
        if effort.is_open:
            hint = f"unlatch effort switch {quote(effort.id)}"
            raise _mistake("effort-not-concluded", f"the effort '{effort.id}' is open", hint)
        tokens = self._count(spoken_text(self._efforts.transcript(effort.id).read()))
        self._turn.expand(effort.id)
        self.say(f"Expanded effort: {effort.id} ({tokens} tokens loaded)")
        return {"status": "expanded", "effort_id": effort.id, "tokens_loaded": tokens}

    def _collapse(self, id: str) -> Answer:
        effort = self._efforts.find(id)
        if effort.id not in expanded_in(self._turn.state, [effort]):
            message = f"the effort '{effort.id}' is not expanded"
            hint = "unlatch effort list"
            raise _mistake("effort-not-expanded", message, hint)
        self._turn.collapse(effort.id)
        self.say(f"Collapsed effort: {effort.id} (back to summary)")
        return {"status": "collapsed", "effort_id": effort.id}

    def _switch(self, id: str) -> Answer:
        if id == AMBIENT:
            self._turn.activate(None)
            return {"status": "switched", "effort_id": None}
        effort = self._open_one(id)
        self._turn.activate(effort.id)
        self.say(f"Switched to effort: {effort.id}")
        return {"status": "switched", "effort_id": effort.id}

    def _reopen(self, id: str, reason: str | None = None) -> Answer:
        if self.ask:
            self.is_due = True
            return self._asking(self.ask, "The user's message does not name the effort.")
        if self.keep and id == self.keep.id:
            return _kept(self.keep)
        if id in self._reopened and self._efforts.find(id).is_open:
            return self._reopened[id]  # a small model repeats the call that worked
        effort, prior = self._efforts.reopen(id, reason)
        if effort.id in self._turn.state.expanded:
            self._turn.collapse(effort.id)
        self._turn.activate(effort.id)
        self._turn.refer([effort.id])
        self.say(f"Reopened effort: {effort.id}")
        answer = {"status": "reopened", "effort_id": effort.id, "prior_summary": prior}
        self._reopened[effort.id] = answer
        return answer

    def _found(self, query: str) -> Answer:
        return {"query": query, "results": list(self._search(query))}

    def _open_one(self, id: str | None) -> Effort:
        wanted = id or self._turn.state.active
        if wanted is None:
            hint = "name one by its id, from: unlatch effort list"
            raise _mistake("effort-missing", "no effort is active", hint)
        effort = self._efforts.find(wanted)
        if not effort.is_open:
            message = f"the effort '{effort.id}' is concluded"
            hint = f"unlatch effort reopen {quote(effort.id)}"
            raise _mistake("effort-not-open", message, hint)
        return effort

    def say(self, text: str) -> None:
        """Tell the user of a change."""
        self.banners.append(f"--- {text} ---")


def _arguments(name: str, raw: str) -> dict[str, str]:
    (schema,) = (
        definition["function"]["parameters"]
        for definition in DEFINITIONS
        if definition["function"]["name"] == name
    )
    if len(raw) > MESSAGE:
        why = f"the arguments have {len(raw):,} characters; at most {MESSAGE:,} are read"
        raise _mistake("arguments-invalid", why, "shorten them")
    try:
        given = parse_json((raw or "{}").encode(errors="replace"))
    except ValueError as error:
        raise _mistake("arguments-invalid", f"the arguments are not JSON: {error}", "") from error
    properties = schema["properties"]
    if not isinstance(given, dict):
        raise _mistake(
            "arguments-invalid", "the arguments are not an object", ", ".join(properties)
        )
    unknown = [argument for argument in given if argument not in properties]
    needed = {*schema["required"], *given}
    wrong = [
        argument
        for argument in properties
        if argument in needed and not isinstance(given.get(argument), str)
    ]
    if unknown or wrong:
        message = f"wrong or missing arguments: {', '.join([*unknown, *wrong])}"
        takes = f"{name} takes {', '.join(properties) or 'none'}, as text"
        raise _mistake("arguments-invalid", message, takes)
    return given


def _kept(effort: Effort) -> Answer:
    message = "The user does not want to reopen it. Call open_effort with a name of the new topic."
    return {"status": "concluded", "effort_id": effort.id, "message": message}


def _described(effort: Effort) -> Answer:
    return {"id": effort.id, "status": effort.status.value, "summary": effort.summary}


def _mistake(id: str, message: str, hint: str) -> UsageError:
    return UsageError(id, message, hint=hint)
