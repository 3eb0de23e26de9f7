"""The name of the work in the title of one of its documents.

Titles often are, or begin with, words for a kind of document: "Feature Specification: Albums".
"""

import re

from unlatch.patterns import pattern

# How words for "requirement" begin, in the languages of cc-sdd and some others of Kiro's users.
_REQUIREMENT = (
    "requi|requer|anforderung|exigence|wymaga|yêu cầu|требован|вимог|απα[ιί]τ"
    "|متطلب|要件|要求|需求|요구"
)
REQUIREMENT = rf"(?:{_REQUIREMENT})[^\W\d_]{{0,20}}"

# What the titles of documents consist of that name no work.
_GENERIC = pattern(
    r"do[ck]ument\w{0,8}|sp[eé]cifi\w{0,12}|spe[zc][iy]fik\w{0,8}|specs?|design"
    r"|t[eé]ch?ni[cs]\w{0,7}|implement\w{0,8}|plan[oi]?|tasks?|lists?|features?|product|increment"
    rf"|{REQUIREMENT}|定義|定义|規格|规格|說明|说明|文書|文件|文档|書|书|设计|設計|实现|実装|實作|計画|计划|計畫"
    r"|タスク|任务|任務|一覧|列表|ドキュメント|仕様|技術|技术|功能|機能"
    r"|문서|설계|구현|계획|작업|목록|명세|기능|기술|서\b"
    r"|diseño|desenho|conception|progettazione|entwurf|umsetzung|mise|œuvre|implémentation"
    r"|especifica\w{0,4}|fonctionnalités?|funcionalidad\w{0,2}|funktion\w{0,2}"
    r"|tareas?|tarefas?|tâches|aufgaben|attività|list[ae]|zadania"
    r"|документ\w{0,2}|дизайн\w{0,2}|проект\w{0,10}|реализац\w{0,3}|задач\w{0,3}|список"
    r"|спецификац\w{0,3}|функциональн\w{0,3}|задани[ея]|техническ\w{0,3}"
    r"|\b(?:de|des|del|du|di|do|da|dos|das|la|le|les|el|en|der|die|das|of|the|and|zur|für|и)\b",
    re.IGNORECASE,
)
# The expression takes a twentieth of `list` to compile, so most titles are decided by whole words:
# each in ASCII that it finds begins like this, and is one of these if it is no article.
_BEGINNINGS = (
    *("anforderung", "aufgaben", "conception", "desenho", "design", "document", "dokument"),
    *("entwurf", "especifica", "exigence", "feature", "funcionalidad", "funktion", "implement"),
    *("increment", "list", "mise", "plan", "product", "progettazione", "requer", "requi", "spec"),
    *("spez", "tarea", "tarefa", "task", "techni", "tecni", "umsetzung", "wymaga", "zadania"),
)
_ARTICLES = frozenset(
    "de des del du di do da dos das la le les el en der die of the and zur".split()  # noqa: SIM905
)
_USUAL = _ARTICLES | {"feature", "product", "spec", "specification", "increment", "requirements"}
# Elsewhere these say what the work is.
_OF_BUGFIX = pattern(r"bug[ -]?fix|bugs?|fix|analysis", re.IGNORECASE)
_SEPARATOR = pattern(r"[:\uff1a]|[ \t][-\u2013\u2014][ \t]")
_LETTER = pattern(r"[^\W_]")


def name_in(heading: str, *, of_bugfix: bool = False) -> str | None:
    """The name of the work in the title of one of its documents, if it has one.

    Args:
        of_bugfix: whether the document may be one about a bug.
    """
    words = heading.strip(" \t*_`")
    separator = _SEPARATOR.search(words)
    if separator:
        before, behind = words[: separator.start()].strip(), words[separator.end() :].strip()
        is_before, is_behind = (_is_generic(part, of_bugfix) for part in (before, behind))
        if is_before is not is_behind:
            return (behind if is_before else before).strip(" \t*_`") or None
    return None if _is_generic(words, of_bugfix) else words


def _is_generic(words: str, of_bugfix: bool) -> bool:
    """Whether words name a kind of document, and nothing else."""
    if not of_bugfix:
        signs = (sign if sign.isalnum() or sign == "_" else " " for sign in words.lower())
        parts = "".join(signs).split()
        if _USUAL.issuperset(parts):
            return True
        if any(map(_is_of_no_kind, parts)):
            return False
    left = _GENERIC.sub("", words)
    return not _LETTER.search(_OF_BUGFIX.sub("", left) if of_bugfix else left)


def _is_of_no_kind(word: str) -> bool:
    is_plain = word.isascii() and word[0] != "_" and word not in _ARTICLES
    return is_plain and not word.startswith(_BEGINNINGS)
