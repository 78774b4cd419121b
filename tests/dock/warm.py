"""A dock that has torch already: `warm.py serve SOCKET` forks a keeper for each `warm.py call SOCKET --dock`.

Importing torch is two of the three seconds that a script in the dock costs; six scripts then share one import. The
caller hands its own descriptors over and stays until the keeper is done.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import socket
import sys
import warnings


def serve(path: str) -> None:
    """Import torch, then fork a keeper for every caller; it serves on the descriptors it was sent."""
    from studyapp.experiments.worker.dock import supervise

    warnings.simplefilter("ignore")
    importlib.import_module("torch._dynamo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        print("ready", flush=True)
        while True:
            line, _ = listening.accept()
            _, descriptors, _, _ = socket.recv_fds(line, 1, 2)
            if os.fork() == 0:
                listening.close()
                supervise.main(*descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            line.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def call(path: str) -> None:
    """Hand standard input and output over, and wait until the keeper has ended."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        socket.send_fds(line, [b"x"], [0, 1])
        os.close(0)
        os.close(1)
        line.recv(1)


if __name__ == "__main__":
    {"serve": serve, "call": call}[sys.argv[1]](sys.argv[2])
