"""The dock: some twenty steps of the learner's own training script, looked at from inside.

Standard library and torch only.

`python -m studyapp.experiments.worker --dock` is a small supervisor (`supervise`) that forks the script's process
(`script`), holds it to its limits and leaves nothing of it running. In that process `attach` finds the training
loop, `engine` decides what the loop's next step gets (a real batch, the same one, a larger one), and one file per
finding measures. Messages are JSON lines (`talk`).
"""
