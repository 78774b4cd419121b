"""The worker program: `python -m studyapp.experiments.worker [--foreign]`.

Speaks the protocol on the descriptors it was started with; ends when its requests end. Not meant to be typed, but
it can be: `echo '{"studyapp":1,"kind":"run","run":"1","experiment":"small-net"}' | python -m ...worker | cat`
(it ends with its input, so a pipe that stays open shows more).
"""

from __future__ import annotations

import sys

from studyapp.experiments.worker.wires import Inlet, Outlet, leave, take_wires


def main() -> None:
    """Take the wires, then torch, then requests until there are no more."""
    requests, answers = take_wires()  # before anything can print
    if "--dock" in sys.argv[1:]:  # not a worker then, but the keeper of a learner's script
        from studyapp.experiments.worker.dock import supervise

        supervise.main(requests, answers)
    from studyapp.experiments.worker import limits, loop

    limits.guard_group()
    loop.serve(Inlet(requests), Outlet(answers), foreign="--foreign" in sys.argv[1:])
    leave()


if __name__ == "__main__":
    main()
