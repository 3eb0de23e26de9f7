"""Decide what a comment on an item leads to, from what its tracker tells of it alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from unlatch.delivery.content import ASKED_BY
from unlatch.patterns import pattern
from unlatch.spi import op_posted
from unlatch.spi.history import Asked, MarkedComment, Role
from unlatch.values import dataclass
from unlatch.worklog.ids import derived_ulid
from unlatch_ci.comments.command import Command, SeveralCommands, Verb, read_command
from unlatch_ci.comments.rights import Policy, Refusal, came_with_close, refusal
from unlatch_ci.comments.thanks import says_nothing_more

# For a person, an item and a day.
MOST_COMMANDS = 3
# Each answer to a refused or failed command begins with one of these.
UNCHANGED = "Nothing was changed"
INCOMPLETE = "Not carried out in full"
_BEGINNING = datetime.fromtimestamp(0, UTC)
_DAY = timedelta(days=1)
# What `asked_by` writes; trackers' markup puts a backslash before some signs.
_ASKED_BY = pattern(
    r"\(asked by (?:[^()\n]{1,100} )?(?P<account>[^\s()]{1,128}) in (?P<url>[^\s()]{1,2000})\)"
)
_NO_NAME = pattern(r"[^\w.,'-]+")


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do about a comment.

    Args:
        why: for the user, why nothing is changed; None if the command is to be carried out.
        command: None if the comment has none that counts.
        refusal: why the person may not, to be posted once.
        is_met: whether the item is as the command wants it, so that it is acknowledged alone.
        is_begun: whether that is so for this very command, whose job may have ended too early.
        labels: whether the item gets the label of a comment without a command.
    """

    why: str | None = None
    command: Command | None = None
    refusal: Refusal | None = None
    is_met: bool = False
    is_begun: bool = False
    labels: bool = False


def decide(asked: Asked, policy: Policy) -> Decision:
    """What a comment leads to."""
    try:
        command = read_command(asked.text)
    except SeveralCommands:
        return Decision("the comment has several commands, so none counts")
    if command is None:
        return _decide_follow_up(asked, policy)
    if why := _outdated(asked, command):
        return Decision(why)
    if asked.is_open is (command.verb is Verb.REOPEN) and not _is_unfinished(asked):
        words = f"the item is {'open' if asked.is_open else 'closed'} already"
        return Decision(words, command, is_met=True, is_begun=_is_begun(asked))
    if _is_begun(asked):
        words = "the command was carried out already"
        return Decision(words, command, is_met=True, is_begun=True)
    return _decide_right(asked, command, policy)


def _decide_right(asked: Asked, command: Command, policy: Policy) -> Decision:
    """Whether the person may have the command carried out."""
    account, last = asked.asker.account, _last_asker(asked.marked)
    by_hand = asked.reopened is not None and asked.reopened.own is False
    if command.verb is Verb.UNDO and (last is None or by_hand):
        return Decision("no comment on this item asked for the reopen")
    refused = refusal(
        command, asked.asker, asked.close, policy, written=asked.written, reopened_for=last
    )
    if refused is None and command.verb is Verb.REOPEN and asked.obstacle is not None:
        refused = Refusal(asked.obstacle)
    if refused is not None:
        is_posted = refusal_id(asked, refused) in _own_operations(asked)
        words = f"{account} may not {command.verb} the item ({refused})"
        return Decision(words, command, refusal=None if is_posted else refused)
    if _commands_lately(asked) >= MOST_COMMANDS:
        return Decision(
            f"{account} has asked {MOST_COMMANDS} times within a day, which is the limit"
        )
    return Decision(command=command)


def _decide_follow_up(asked: Asked, policy: Policy) -> Decision:
    """What a comment without a command leads to."""
    command = Command(Verb.REOPEN)
    is_asking = policy.follow_up != "ignore" and not asked.is_open
    if not is_asking or Role.AUTHOR not in asked.asker.roles or says_nothing_more(asked.text):
        return Decision("the comment has no command")
    if why := _outdated(asked, command):
        return Decision(why)
    if policy.follow_up == "label":
        return Decision("its author wrote again", labels=True)
    # The author asked for nothing, so a refusal is not posted.
    return replace(_decide_right(asked, command, policy), refusal=None)


def _outdated(asked: Asked, command: Command) -> str | None:
    """Why a command no longer counts; None if it does."""
    if answer_id(asked) in _own_operations(asked):
        return "the comment was answered already"
    if came_with_close(asked.asker, asked.written, asked.close):
        return "its author closed the item within a minute of the comment"
    closed = asked.close.at is not None and asked.close.at > asked.written
    if command.verb is Verb.REOPEN:
        return "the item was closed after the comment was written" if closed else None
    by_hand = asked.reopened if asked.reopened and asked.reopened.own is False else None
    reopened = closed or (by_hand is not None and by_hand.at > asked.written)
    if asked.is_open and reopened and not _is_begun(asked):
        return "the item was reopened after the comment was written"
    return None


def _is_unfinished(asked: Asked) -> bool:
    """Whether a job reopened the item after the comment was written, and ended before its own."""
    reopened = asked.reopened
    if reopened is None or not reopened.own or reopened.at < asked.written or not asked.is_open:
        return False
    own = (comment for comment in asked.marked if comment.own is not False)
    return not any(comment.created is None or comment.created >= reopened.at for comment in own)


def _is_begun(asked: Asked) -> bool:
    """Whether a comment says that this command was carried out on this item."""
    own = (
        comment for comment in asked.marked if comment.own is not False and not _is_answer(comment)
    )
    return any(_named_in(comment, "url") == asked.url for comment in own)


def _own_operations(asked: Asked) -> set[str | None]:
    return {op_posted(comment.text) for comment in asked.marked if comment.own is not False}


def answer_id(asked: Asked) -> str:
    """The id of the answer that a command failed."""
    return derived_ulid(asked.written, ["failed", asked.url])


def refusal_id(asked: Asked, refusal: Refusal) -> str:
    """The id of the answer to a person who may not: one for the item.

    That the tracker cannot reopen the item is posted once for each close, as it may have changed.
    """
    parts = ["refused", asked.ref.url, asked.asker.account]
    if asked.obstacle is None or refusal is not Refusal(asked.obstacle):
        return derived_ulid(_BEGINNING, parts)
    return derived_ulid(asked.close.at or _BEGINNING, [*parts, refusal])


def asked_by(asked: Asked) -> str:
    """The words that say in a comment of unlatch who asked; `decide` counts them."""
    name = _NO_NAME.sub(" ", asked.asker.name).strip()[:100]
    who = f"{name} {asked.asker.account}" if name else asked.asker.account
    return ASKED_BY.format(who=who, url=asked.url)


def _last_asker(marked: tuple[MarkedComment, ...]) -> str | None:
    """The account that asked for what unlatch did last; None if nobody did."""
    own = [comment for comment in marked if comment.own is not False and not _is_answer(comment)]
    # Anybody may write such words, and they give a right here.
    return _named_in(own[-1], "account") if own and own[-1].own else None


def _is_answer(comment: MarkedComment) -> bool:
    # A stranger's words are in quotation marks wherever a template begins with them.
    return comment.text.lstrip("*").startswith((UNCHANGED, INCOMPLETE))


def _commands_lately(asked: Asked) -> int:
    since = asked.written - _DAY
    # A command on several increments has a comment for each.
    commands = {
        _named_in(comment, "url")
        for comment in asked.marked
        if comment.own is not False
        and (comment.created is None or comment.created >= since)
        and _named_in(comment, "account") == asked.asker.account
    }
    return len(commands)


def _named_in(comment: MarkedComment, part: str) -> str | None:
    # A reason is a stranger's text, and stands before our words.
    named = [match[part] for match in _ASKED_BY.finditer(_without_markup(comment.text))]
    return named[-1] if named else None


def _without_markup(text: str) -> str:
    # What keeps an address from being a link.
    return text.replace("\\", "").replace("&#8203;", "").replace("\u200b", "")
