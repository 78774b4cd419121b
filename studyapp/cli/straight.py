"""The shortest way to the screens that a day begins with: `studyapp` and `studyapp review`, with no word to parse.

What they do is in `full_screen`, and what failed is told by `main`, as for every other command; only click, 3 ms
before the first frame, is left out.
"""

from __future__ import annotations

import os
import sys

from studyapp.cli.call import Call
from studyapp.cli.full_screen import home, review
from studyapp.cli.output import settle_streams

STRAIGHT = {(): home, ("review",): review}
COMPLETION = "_STUDYAPP_COMPLETE"
"""Set by a shell that completes words: that is click's."""


def run(words: list[str]) -> int:
    """Run one command and return its exit code; never raises.

    Args:
        words: The words after the program's name.
    """
    start = STRAIGHT.get(tuple(words))
    if start is None or COMPLETION in os.environ:
        from studyapp.cli.main import run as parse_and_run

        return parse_and_run(words)
    settle_streams()
    call = Call()
    try:
        code = start(call)
        sys.stdout.flush()
    except BaseException as error:
        from studyapp.cli.main import ended

        return ended(error, call, asked_json=False)
    return code
