"""The Textual front end. Screens translate keys and paint; the use cases in `study` decide."""
