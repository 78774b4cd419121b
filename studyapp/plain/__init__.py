"""The line-oriented front end: screen readers, dumb terminals and pipes, on the same use cases."""
