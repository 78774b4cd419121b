"""The learner's record in SQLite through SQLAlchemy Core. Import `studyapp.store.database` late: it is heavy."""
