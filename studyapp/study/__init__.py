"""The use cases, one file per journey: the only place that joins store, decks and experiments."""
