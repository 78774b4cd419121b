"""Outside text to cards, and back. Reads text it is given; opens files only in `files` and `rewrite`."""
