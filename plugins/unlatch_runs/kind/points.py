"""What a run knows, as points of a briefing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.related.briefing.sources import Texts, briefing_from, section_texts

if TYPE_CHECKING:
    from unlatch.related.kinds import Sources
    from unlatch.related.points import Briefing
    from unlatch_runs.run_model import RunState, Task

_NOT_TICKED = "(accepted, but not ticked in the increment)"


def points(ref: str, state: RunState, sources: Sources) -> Briefing:
    """What tasks, auditors and answers of a run say."""
    texts = section_texts()
    for question in state.questions.values():
        if question.answer:
            texts["decisions"].append(f"{question.text} {question.answer}")
    for task in state.tasks.values():
        name = f"{task.id} {task.title}"
        is_new = sources.is_new(name)
        own = _why(task) if is_new and not state.is_done(task.id) else ""
        texts["failed"] += [f"{name}: {failure}" for failure in task.failures if failure not in own]
        _add_worker(texts, task, sources)
        if is_new:
            _add_task(texts, state, task, sources)
    texts["left"] += [
        f"Question of {question.task}: {question.text}" for question in state.open_questions()
    ]
    if state.stopped:
        texts["failed"].append(f"The run was stopped: {state.stopped}")
    sources.known |= state.tasks.keys()
    return briefing_from(ref, texts)


def _add_task(texts: Texts, state: RunState, task: Task, sources: Sources) -> None:
    name, own = f"{task.id} {task.title}", sources.own
    if state.is_done(task.id):
        again = own.reopened.get(task.id)
        is_left = any(key == task.id for key, _ in own.left)
        if is_left and not (again and task.completed_at and again >= task.completed_at):
            sources.accepted.add(task.id)
        note = _NOT_TICKED if task.id in sources.accepted else ""
        words = task.summary or task.verdict
        title = f"{name}:" if words else name
        if words or note:
            texts["done"].append(" ".join(filter(None, (title, words, note))))
        if task.verdict not in words:
            texts["done"].append(f"{name}, auditor: {task.verdict}")
        return
    if task.failure or task.attempts:
        texts["failed"].append(f"{name}: {_why(task)}")
    if not own.has_done(task.id):
        texts["left"].append(name)


def _add_worker(texts: Texts, task: Task, sources: Sources) -> None:
    """The decisions and failures in the words of a worker; its next steps are the task's."""
    failures = "\n".join((task.failure, *task.failures))
    for section, sentence in sources.said(f"{task.checkpoint}\n{task.summary}"):
        if section != "left" and sentence not in failures:
            texts[section].append(sentence)


def _why(task: Task) -> str:
    """Why the last attempt of a task failed, and how far it was."""
    is_said = task.failure in task.checkpoint
    return task.failure if is_said else f"{task.failure}\n{task.checkpoint}"
