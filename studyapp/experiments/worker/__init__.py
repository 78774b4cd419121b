"""The worker: a separate program (`python -m studyapp.experiments.worker`) and the only home of torch."""
