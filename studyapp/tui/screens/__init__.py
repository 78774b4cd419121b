"""One screen per file, one .tcss beside it."""
