"""The entry point: `status` and `--version` are answered here, before anything heavy is imported.

A shell prompt runs `studyapp status` at every line, so this path loads sys, os, json and time only.
"""

import os
import sys


def main() -> int:
    """Run the program and return its exit code."""
    words = sys.argv[1:]
    if words == ["--version"]:
        from studyapp import __version__

        print(f"studyapp {__version__}")
        return 0
    if words and words[0] == "status" and all(word in ("--json", "--exit-code") for word in words[1:]):
        return _status(words)
    import gc

    gc.disable()  # start-up makes many small objects that live on: collecting them costs 10 to 50 ms
    try:
        from studyapp.cli.straight import run

        return run(words)
    except KeyboardInterrupt:  # while modules load: `run` itself never raises
        return 130


def _status(words: list[str]) -> int:
    """Print the status line; with `--exit-code` 1 when cards are due, so that a reminder can ask."""
    import json
    import time

    from studyapp.core.places import data_dir
    from studyapp.core.prompt import prompt_file, prompt_lines, status_line, summary

    path = data_dir(os.environ, sys.platform) + "/status.json"
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib costs more than all the rest
            status = json.load(file)
        found = summary(status, int(time.time() * 1000))
        _keep_lines(prompt_file(os.environ, sys.platform), prompt_lines(status))
    except (OSError, ValueError, KeyError, TypeError):
        found = None  # never opened, or half written by another program: a prompt must not complain
    if "--json" in words:
        keys = ("due", "review", "new", "relearning", "streak", "study_day")
        print(json.dumps({"ok": True, "data": found or dict.fromkeys(keys)}))
    elif found is None:
        print("studyapp: not started")
    else:
        print(status_line(found))
    return int("--exit-code" in words and bool(found) and found["due"] > 0)  # type: ignore[index]


def _keep_lines(path: str, lines: str) -> None:
    """Write the shell's own file where it is missing: its folder in memory is empty after a restart."""
    if os.path.exists(path):  # noqa: PTH110
        return
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(lines)
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main())
