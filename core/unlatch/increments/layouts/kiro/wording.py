"""Words of the languages that Kiro and cc-sdd write documents in."""

import re

# How words for "requirement" begin, in the languages of cc-sdd and some others of Kiro's users.
_REQUIREMENT = (
    "requi|requer|anforderung|exigence|wymaga|yêu cầu|требован|вимог|απα[ιί]τ"
    "|متطلب|要件|要求|需求|요구"
)
REQUIREMENT = rf"(?:{_REQUIREMENT})[^\W\d_]{{0,20}}"

# What the titles of documents consist of that name no spec.
_GENERIC = re.compile(
    r"document\w{0,4}|specifi\w{0,12}|specs?|design|technical|implement\w{0,8}|plan[oi]?|tasks?|lists?"
    r"|bug[ -]?fix|bugs?|fix|analysis|feature"
    rf"|{REQUIREMENT}|定義|定义|規格|规格|說明|说明|文書|文件|文档|書|书|设计|設計|实现|実装|實作|計画|计划|計畫"
    r"|タスク|任务|任務|一覧|列表|ドキュメント|仕様|문서|설계|구현|계획|작업|목록|명세"
    r"|diseño|desenho|conception|progettazione|entwurf|umsetzung|mise|œuvre|implémentation"
    r"|tareas?|tarefas?|tâches|aufgaben|attività|list[ae]|dokument\w{0,4}"
    r"|документ\w{0,2}|дизайн\w{0,2}|проект\w{0,10}|реализац\w{0,3}|задач\w{0,3}|список"
    r"|\b(?:de|des|del|du|di|do|da|dos|das|la|le|les|el|en|der|die|das|of|the|and|zur|für|и)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"[:\uff1a]|[ \t][-\u2013\u2014][ \t]")
_LETTER = re.compile(r"[^\W_]")


def title_in(heading: str) -> str | None:
    """The name of the spec in the title of one of its documents, if it has one."""
    words = heading.strip(" \t*_`")
    separator = _SEPARATOR.search(words)
    if separator:
        before, behind = words[: separator.start()].strip(), words[separator.end() :].strip()
        if is_generic(before) and not is_generic(behind):
            return behind.strip(" \t*_`") or None
        if is_generic(behind) and not is_generic(before):
            return before
    return None if is_generic(words) else words


def is_generic(words: str) -> bool:
    """Whether words name a kind of document, and nothing else."""
    return not _LETTER.search(_GENERIC.sub("", words))
