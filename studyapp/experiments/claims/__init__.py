"""One file per claim. Standard library only; torch comes in as `lab.torch`. Python 3.10+."""
