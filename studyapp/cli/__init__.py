"""The command line: one file per family of commands; nothing heavy at the top of a file."""
