"""The lesson that `new-module` writes: it teaches its own format, and `check` has nothing to say about it."""

from __future__ import annotations

_TEMPLATE = """---
id: {name}
title: {title}
summary: One sentence that tells a learner why to open this lesson.
---

# {title}

Say in a few lines what the reader will be able to decide afterwards.

## The first idea <!-- id: first-idea -->

A section is what is read at one sitting. Write the reason, then the number, then its conditions. The cards below
it come up once it has been read.

> **Say it first:** Which two parts does a card need before it can be asked? <!-- id: two-parts -->
>
> A question that stands on its own, and an answer short enough to say in one breath.
>
> **Check:**
>
> - the question makes sense without the text around it
> - the answer can be spoken, not only recognised

> **Fill in:** An id ties a card to its {{{{c1::history}}}}, whatever {{{{c2::words}}}} it has. <!-- id: ids -->

## Questions <!-- id: questions, faq -->

### How long may an answer be? <!-- id: answer-length -->

As long as you can say it without drawing breath twice. Split what is longer.
"""


def lesson_template(name: str, title: str) -> str:
    """Return a small lesson to begin with.

    Args:
        name: Its module id.
        title: Its title.
    """
    return _TEMPLATE.format(name=name, title=title or name)
