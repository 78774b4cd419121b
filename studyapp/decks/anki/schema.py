"""The tables and JSON of a schema 11 collection, as every Anki since 2.1 reads it. Source: Anki 26.9.3 exports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from studyapp.decks.anki.mapping import OWN_FIELDS, OWN_TYPE

TYPE_ID = 1_790_000_000_011
"""Of our note type, for good: a second import must find it."""
PRESET_ID = 1_790_000_000_012
"""Of our deck options."""

TABLES = """
CREATE TABLE col (id integer primary key, crt integer not null, mod integer not null, scm integer not null,
  ver integer not null, dty integer not null, usn integer not null, ls integer not null, conf text not null,
  models text not null, decks text not null, dconf text not null, tags text not null);
CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null, mod integer not null,
  usn integer not null, tags text not null, flds text not null, sfld integer not null, csum integer not null,
  flags integer not null, data text not null);
CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null, ord integer not null,
  mod integer not null, usn integer not null, type integer not null, queue integer not null, due integer not null,
  ivl integer not null, factor integer not null, reps integer not null, lapses integer not null,
  left integer not null, odue integer not null, odid integer not null, flags integer not null, data text not null);
CREATE TABLE revlog (id integer primary key, cid integer not null, usn integer not null, ease integer not null,
  ivl integer not null, lastIvl integer not null, factor integer not null, time integer not null,
  type integer not null);
CREATE TABLE graves (usn integer not null, oid integer not null, type integer not null);
"""
INDEXES = """
CREATE INDEX ix_notes_usn ON notes (usn);
CREATE INDEX ix_cards_usn ON cards (usn);
CREATE INDEX ix_revlog_usn ON revlog (usn);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_cards_sched ON cards (did, queue, due);
CREATE INDEX ix_revlog_cid ON revlog (cid);
CREATE INDEX ix_notes_csum ON notes (csum);
"""
_CSS = ".card { font-family: sans-serif; font-size: 20px; line-height: 1.5; text-align: left; }"


def models() -> dict[str, Any]:
    """Return our one note type: the first field asks, the second answers, the others are for coming back."""
    names = [
        {"name": name, "ord": at, "sticky": False, "rtl": False, "font": "Arial", "size": 20, "media": []}
        for at, name in enumerate(OWN_FIELDS)
    ]
    template = {
        "name": "Card 1",
        "ord": 0,
        "qfmt": "{{Front}}",
        "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}",
        "bqfmt": "",
        "bafmt": "",
        "did": None,
        "bfont": "",
        "bsize": 0,
    }
    return {
        str(TYPE_ID): {
            "id": TYPE_ID,
            "name": OWN_TYPE,
            "type": 0,
            "mod": 1_790_000_000,
            "usn": 0,
            "sortf": 0,
            "did": None,
            "tmpls": [template],
            "flds": names,
            "css": _CSS,
            "latexPre": "\\documentclass[12pt]{article}\n\\usepackage[utf8]{inputenc}\n"
            "\\usepackage{amssymb,amsmath}\n"
            "\\pagestyle{empty}\n\\setlength{\\parindent}{0in}\n\\begin{document}\n",
            "latexPost": "\\end{document}",
            "latexsvg": False,
            "req": [[0, "any", [0]]],
            "tags": [],
            "vers": [],
        }
    }


def decks(names: Mapping[int, str], mod_s: int) -> dict[str, Any]:
    """Return the decks by id, with the one that every collection has."""
    return {str(key): _deck(key, name, mod_s) for key, name in {1: "Default", **names}.items()}


def _deck(key: int, name: str, mod_s: int) -> dict[str, Any]:
    return {
        "id": key,
        "mod": mod_s,
        "name": name,
        "usn": 0,
        "lrnToday": [0, 0],
        "revToday": [0, 0],
        "newToday": [0, 0],
        "timeToday": [0, 0],
        "collapsed": False,
        "browserCollapsed": False,
        "desc": "",
        "dyn": 0,
        "conf": 1 if key == 1 else PRESET_ID,
        "extendNew": 0,
        "extendRev": 0,
    }


def options(
    learning_min: Iterable[float], relearning_min: Iterable[float], retention: float, parameters: Sequence[float]
) -> dict[str, Any]:
    """Return the deck options: Anki's own defaults, and ours with the learner's FSRS parameters.

    Args:
        learning_min: Learning steps, minutes.
        relearning_min: Relearning steps, minutes.
        retention: Desired retention, 0-1.
        parameters: The 21 FSRS parameters.
    """
    plain = _preset(1, "Default", [1.0, 10.0], [10.0])
    own = _preset(PRESET_ID, "studyapp", list(learning_min), list(relearning_min))
    own |= {"desiredRetention": retention, "fsrsParams6": list(parameters)}
    return {"1": plain, str(PRESET_ID): own}


def _preset(key: int, name: str, learning_min: list[float], relearning_min: list[float]) -> dict[str, Any]:
    return {
        "id": key,
        "mod": 0,
        "name": name,
        "usn": 0,
        "maxTaken": 60,
        "autoplay": True,
        "timer": 0,
        "replayq": True,
        "new": {
            "bury": False,
            "delays": learning_min,
            "initialFactor": 2500,
            "ints": [1, 4, 0],
            "order": 1,
            "perDay": 20,
        },
        "rev": {"bury": False, "ease4": 1.3, "ivlFct": 1.0, "maxIvl": 36500, "perDay": 200, "hardFactor": 1.2},
        "lapse": {"delays": relearning_min, "leechAction": 1, "leechFails": 8, "minInt": 1, "mult": 0.0},
        "dyn": False,
    }


def conf(west_min: int) -> dict[str, Any]:
    """Return the collection's settings: days as today's Anki counts them, from a zone `west_min` west of UTC."""
    return {
        "activeDecks": [1],
        "curDeck": 1,
        "curModel": TYPE_ID,
        "newSpread": 0,
        "collapseTime": 1200,
        "timeLim": 0,
        "estTimes": True,
        "dueCounts": True,
        "nextPos": 1,
        "sortType": "noteFld",
        "sortBackwards": False,
        "addToCur": True,
        "dayLearnFirst": False,
        "schedVer": 2,
        "sched2021": True,
        "creationOffset": west_min,
        "fsrs": True,
    }
