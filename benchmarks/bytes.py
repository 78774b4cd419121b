"""How many bytes a terminal gets, at 80x24: start, first card, an answer, the next card, changes of screen.

At 9,600 baud, 960 bytes take a second. Run it with `python -m benchmarks.bytes`.
"""

from __future__ import annotations

from benchmarks.setting import LAID_OUT, STUDYAPP, compile_everything, deck_environment, home
from benchmarks.terminal import Terminal

BYTES_PER_S = 960
"""9,600 baud: ten bits a byte."""
PLACES = (("read", b"l"), ("experiments", b"x"), ("stats", b"s"), ("browse", b"b"), ("help", b"?"))
"""Places and the keys that lead there from Home."""


def measure() -> dict[str, int]:
    """Return the bytes of each step, with everything that follows it until the screen is still."""
    found: dict[str, int] = {}
    with home(with_deck=True) as folder:
        environ = deck_environment(folder, STUDYAPP_MOTION="none")
        with Terminal((*STUDYAPP, "review"), environ=environ) as terminal:

            def step(name: str, keys: bytes = b"") -> None:
                place = terminal.place
                if keys:
                    terminal.press(keys)
                terminal.settle(1.0)
                found[name] = terminal.recording.bytes_since(place)

            terminal.until(LAID_OUT)
            terminal.settle(1.0)
            found["start to the first card"] = terminal.recording.bytes_since(0)
            step("space: the answer", b" ")
            step("4: stored, the next card", b"4")
            step("back to Home", b"q")
            for name, key in PLACES:
                step(f"Home to {name}", key)
                step(f"{name} back to Home", b"q")
    return found


def main() -> None:
    compile_everything()
    for name, count in measure().items():
        print(f"| {name} | {count} | {count / BYTES_PER_S:.1f} s |")


if __name__ == "__main__":
    main()
