"""`stats`: how it has been going, as lines with their uncertainty or as JSON; every figure with its n."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import columns, plural, print_data, say, spoken
from studyapp.cli.streak import streak_fields, streak_words
from studyapp.core.days import day_to_iso
from studyapp.core.errors import UsageError
from studyapp.core.percent import percent

if TYPE_CHECKING:
    from studyapp.core.calibration import Share
    from studyapp.core.coin import Comparison
    from studyapp.study.statistics import OwnForecasts, Recall, Statistics

HEAT_DAYS = 365
LONGEST_PROMPT = 50
"""Characters of a question in the lines."""
WINDOWS = (1, 7, 30, 90, 365)
"""Windows of true retention in the JSON, study days."""


@words("stats", data=True)
@click.option("--module", metavar="MODULE", help="Only this module's cards.")
@click.pass_obj
def stats_command(call: Call, module: str | None) -> int:
    """Show how it has been going.

    Today, streak, recall with its uncertainty, the days ahead, what a week would take, predictions, forecasts.
    """
    from studyapp.study.statistics import gather

    with call.desk() as desk:
        known = [one.id for one in desk.store.modules()]
        if module is not None and module not in known:
            raise UsageError(f"There is no module {module!r}.", f"There is: {', '.join(known) or 'none yet'}.")
        found = gather(desk, module or "")
        if call.json:
            print_data(stats_fields(found))
        else:
            say(*stats_lines(found, in_words=call.plain))
        call.refresh(desk, changed=False)
    return 0


def stats_fields(found: Statistics) -> dict[str, Any]:
    """Return the fields of `stats --json`."""
    made = found.calibration
    return {
        "study_day": day_to_iso(found.study_day),
        "today": {"answers": found.today_answers, "seconds": found.today_seconds},
        "streak": streak_fields(found.streak) if found.streak_shown else None,
        "retention": {
            "days": 30,
            **_share(found.retention_30),
            "target": found.target,
            "windows": [{"days": days, **_recall(found.recall(days))} for days in WINDOWS],
            "by_module": {
                title: {"target": found.target_of.get(title, found.target), **_recall(recall)}
                for title, recall in found.by_module.items()
            },
        },
        "time": {
            "days": 30,
            "seconds": found.seconds(30),
            "answers": found.answers(30),
            "cap_seconds": 60,
        },
        "days": [
            {"day": day_to_iso(d.day), "answers": d.answers, "seconds": d.seconds}
            for d in found.days
            if d.day > found.study_day - HEAT_DAYS
        ],
        "cards": found.cards,
        "learned": found.learned,
        "leeches": found.leeches,
        "suspended": found.suspended,
        "reviews": found.reviews,
        "stability": [
            {"from_days": low, "to_days": high, "cards": cards} for low, high, cards in _durability(found)
        ],
        "hardest": [vars(card) for card in found.hardest],
        "forecast": [{"day": day_to_iso(day), "due": due} for day, due in sorted(found.forecast.items())],
        "overdue": found.overdue,
        "forgetting": {
            "days": 7,
            "modules": [{**vars(f), "lost": f.lost} for f in found.forgetting],
        },
        "own_forecasts": {"all": _own(found.own), "last_90_days": _own(found.own_lately)},
        "coin": None if found.coin is None else _coin_fields(found.coin),
        "predictions": {
            "made": made.made,
            "scored": made.scored,
            "inside": made.inside,
            "median_factor": made.median_factor,
            "leaning": made.leaning,
            "by_closeness": made.by_closeness,
            "worth_another_look": list(found.missed),
            "by_sure": {sure: _share(share) for sure, share in made.by_sure.items()},
        },
    }


def _coin_fields(coin: Comparison) -> dict[str, Any]:
    return {
        "predict": _share(coin.predict) | {"growth": coin.growth_predict},
        "plain": _share(coin.plain) | {"growth": coin.growth_plain},
        "cards_predicted": coin.predicted,
        "answers_lacking": coin.lacking,
        "difference": coin.difference,
        "sentence": coin.sentence,
    }


def _share(share: Share) -> dict[str, Any]:
    low, high = share.interval or (None, None)
    return {"passed": share.passed, "total": share.total, "value": share.value, "low": low, "high": high}


def _recall(recall: Recall) -> dict[str, Any]:
    return {"all": _share(recall.all), "young": _share(recall.young), "mature": _share(recall.mature)}


def _own(own: OwnForecasts) -> dict[str, Any]:
    return {
        "reviews": own.reviews,
        "log_loss": own.log_loss,
        "constant_log_loss": own.constant,
        "reliability": [
            {"from": r.low, "to": r.high, "foretold": r.foretold, "recalled": _share(r.recalled)}
            for r in own.table
        ],
    }


def _durability(found: Statistics) -> list[tuple[int, int | None, int]]:
    from studyapp.store.figure_values import STABILITY_DAYS

    edges: list[int | None] = [*STABILITY_DAYS, None]
    return list(zip([0, *STABILITY_DAYS], edges, found.stability, strict=True))


def stats_lines(found: Statistics, *, in_words: bool = False) -> list[str]:
    """Return the same as lines for a reader, lined up, or as sentences to be listened to."""
    ahead = sorted(found.forecast.items())[1:8]
    late = f"; {found.overdue} overdue" if found.overdue else ""
    rows = [
        ["today", f"{plural(found.today_answers, 'answer')}, {_time(found.today_seconds)}"],
        *([["streak", streak_words(found.streak)]] if found.streak_shown else []),
        ["recall, 30 days", _recall_words(found.retention_30, found.target)],
        *_parted(found),
        ["cards", f"{found.learned} of {found.cards} learned, {plural(found.reviews, 'answer')} in all"],
        *_durable(found),
        ["time, 30 days", _spent(found)],
        ["reviews ahead", _ahead(ahead) + late],
        *_week(found),
        *_own_words(found.own),
        *_hardest(found, whole=in_words),
        *_predictions(found),
        *_coin(found),
    ]
    return spoken(rows) if in_words else columns(rows)


def _ahead(days: list[tuple[int, int]]) -> str:
    """Return the days ahead by their names: "Fri 1, Sat 0"."""
    return ", ".join(f"{date.fromordinal(day):%a} {count}" for day, count in days)


def _time(seconds: float) -> str:
    if seconds >= 3600:
        return f"{seconds // 3600:.0f} h {seconds % 3600 / 60:.0f} min"
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


def _recall_words(share: Share, target: float) -> str:
    if share.value is None or share.interval is None:
        return "no card has come back yet"
    low, high = share.interval
    return (
        f"{percent(share.value)} of {plural(share.total, 'answer')} "
        f"({percent(low)} to {percent(high)} likely, target {percent(target)})"
    )


def _parted(found: Statistics) -> list[list[str]]:
    recall = found.recall(30)
    parts = [("young", recall.young, ""), ("mature", recall.mature, "")]
    if len(found.by_module) > 1 or found.target_of:
        targets = {title: f" (target {percent(wanted)})" for title, wanted in found.target_of.items()}
        parts += [(title, module.all, targets.get(title, "")) for title, module in found.by_module.items()]
    told = [
        f"{name} {percent(share.value)} of {share.total}{end}"
        for name, share, end in parts
        if share.value is not None
    ]
    return [["", ", ".join(told)]] if recall.all.total else []


def _durable(found: Statistics) -> list[list[str]]:
    names = ("under a day", "under a week", "under 3 weeks", "under 3 months", "under a year", "a year or more")
    told = [f"{count} {name}" for name, count in zip(names, found.stability, strict=True) if count]
    return [["stable for", ", ".join(told)]] if told else []


def _spent(found: Statistics) -> str:
    seconds, answers = found.seconds(30), found.answers(30)
    each = f", {seconds / answers:.0f} s an answer" if answers else ""
    return f"{_time(seconds)} over {plural(answers, 'answer')}{each}"


def _week(found: Statistics) -> list[list[str]]:
    cards = sum(f.cards for f in found.forgetting)
    if not cards:
        return []
    lost = sum(f.lost for f in found.forgetting)
    rows = [["this week", f"without a review you would forget about {lost:.1f} of {plural(cards, 'card')}"]]
    if len(found.forgetting) > 1:
        rows.append(["", ", ".join(f"{f.title} {f.lost:.1f} of {f.cards}" for f in found.forgetting)])
    return rows


def _own_words(own: OwnForecasts) -> list[list[str]]:
    if own.log_loss is None or own.constant is None:
        return []
    off = [r for r in own.table if not r.fits]
    told = (
        f"log-loss {own.log_loss:.3f} over {plural(own.reviews, 'forecast')} of recall "
        f"(a constant: {own.constant:.3f})"
    )
    if not off:
        return [["scheduler", f"{told}; all within their range"]]
    worst = max(off, key=lambda r: r.recalled.total)
    value = worst.recalled.value or 0.0
    return [
        ["scheduler", told],
        ["", f"where it said {percent(worst.foretold)}, {percent(value)} of {worst.recalled.total} were recalled"],
    ]


def _hardest(found: Statistics, *, whole: bool) -> list[list[str]]:
    rows = []
    for place, card in enumerate(found.hardest[:3]):
        prompt = " ".join(card.prompt.split())
        prompt = prompt if whole or len(prompt) <= LONGEST_PROMPT else prompt[: LONGEST_PROMPT - 1] + "…"
        told = f"{plural(card.lapses, 'lapse')}, {percent(card.recall)} now: {prompt}"
        rows.append([f"hardest, number {place + 1}" if whole else "" if place else "hardest", told])
    return rows


def _coin(found: Statistics) -> list[list[str]]:
    if found.coin is None:
        return []
    sides = (("predicted first", found.coin.predict), ("not", found.coin.plain))
    told = [f"{name} {s.passed} of {s.total}" for name, s in sides]
    return [["the coin", f"recalled: {', '.join(told)}"], ["", found.coin.sentence]]


def _predictions(found: Statistics) -> list[list[str]]:
    made = found.calibration
    if not made.made:
        return []
    split = ", ".join(f"{count} {name}" for name, count in made.by_closeness.items() if count)
    rows = [["predictions", f"{made.made} made{f': {split}' if split else ''}"]]
    if made.scored:
        sure = [f"{name} {s.passed} of {s.total}" for name, s in made.by_sure.items() if s.total]
        rows.append(["in your range", f"{made.inside} of {made.scored} ({', '.join(sure)}); 4 of 5 are meant"])
    if found.missed:
        cards = plural(found.missed_cards, "card")
        rows.append(["sure and wrong", f"{', '.join(found.missed)}: worth another look ({cards})"])
    if made.leaning:
        rows.append(["", made.leaning])
    return rows
