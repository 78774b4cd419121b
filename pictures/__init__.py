"""Pictures of every screen, made by the program itself: `python -m pictures` or `make pictures`.

The record behind them is a real store, written by the program's own use cases under a frozen clock. What an
experiment shows there was measured on a real machine and is replayed from `tests/recordings`.
"""
