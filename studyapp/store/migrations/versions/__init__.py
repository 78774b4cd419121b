"""One file per schema revision, never edited after a release."""
