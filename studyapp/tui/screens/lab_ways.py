"""Where one goes from the Lab: what the keys do with the experiment under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studyapp.tui.screens.listing import ListScreen

if TYPE_CHECKING:
    from studyapp.experiments.claim import Value
    from studyapp.study.lab import Entry, Lab


class LabWays(ListScreen):
    """Opens what belongs to one experiment."""

    def __init__(self) -> None:
        super().__init__()
        self.lab: Lab | None = None
        self.settings: dict[str, dict[str, Value]] = {}
        """Controls the learner changed, by experiment."""

    @property
    def entry(self) -> Entry | None:
        """The experiment under the cursor."""
        raise NotImplementedError

    def controls_of(self, entry: Entry) -> dict[str, Value]:
        """Return the controls a run would have: the learner's choice, else the experiment's own."""
        return self.settings.get(entry.experiment.id) or entry.experiment.parse_controls({})

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the experiment under the cursor is offered."""
        entry = self.entry
        if action in ("open", "move"):
            return entry is not None
        if action in ("controls", "break"):
            return entry is not None and bool(entry.experiment.controls)
        if action == "map":
            return entry is not None and len(entry.experiment.controls) > 1
        if action == "compare":
            return entry is not None and len(entry.history) > 1
        return True

    def action_open(self) -> None:
        """Open the experiment."""
        if self.entry is not None:
            from studyapp.tui.screens.experiment import ExperimentScreen

            given: dict[str, Any] = dict(self.settings.get(self.entry.experiment.id, {}))
            self.app.push_screen(ExperimentScreen(self.entry.experiment.id, given))

    def action_controls(self) -> None:
        """Change the controls of the experiment under the cursor."""
        if self.entry is not None and self.entry.experiment.controls and self.lab is not None:
            from studyapp.tui.screens.controls import ControlsScreen

            chosen = self.settings.setdefault(self.entry.experiment.id, self.controls_of(self.entry))
            self.app.push_screen(ControlsScreen(self.entry, self.lab.machine, chosen))

    def action_compare(self) -> None:
        """Put two of its runs into one chart."""
        if self.entry is not None and self.lab is not None:
            from studyapp.tui.screens.compare import CompareScreen

            self.app.push_screen(CompareScreen(self.entry.experiment.id, self.lab.machine))

    def action_break(self) -> None:
        """Search the setting at which its verdict flips."""
        if self.entry is not None and self.entry.experiment.controls:
            from studyapp.tui.screens.breaking import BreakScreen

            self.app.push_screen(BreakScreen(self.entry.experiment, self.controls_of(self.entry)))

    def action_map(self) -> None:
        """Show its verdicts over two controls."""
        if self.entry is not None and len(self.entry.experiment.controls) > 1:
            from studyapp.tui.screens.verdict_map import MapScreen

            self.app.push_screen(MapScreen(self.entry.experiment))
