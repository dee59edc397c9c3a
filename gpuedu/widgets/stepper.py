"""The stepping widget: buttons and a slider over a walk, and one page of HTML below them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.trace.records import Trace
from gpuedu.widgets.page import render, render_story
from gpuedu.widgets.walk import Walk, walk

_WIDGET = "application/vnd.jupyter.widget-view+json"
_BUTTONS: tuple[tuple[str, str, Callable[[Walk], Walk]], ...] = (
    ("◀ step", "one step back", lambda w: w.step(-1)),
    ("step ▶", "one step on", lambda w: w.step()),
    ("◀ this warp", "the step before of the same warp", lambda w: w.step_warp(-1)),
    ("this warp ▶", "the next step of the same warp", lambda w: w.step_warp()),
    ("◀ barrier", "to the barrier before", lambda w: w.step_epoch(-1)),
    ("barrier ▶", "past the next barrier", lambda w: w.step_epoch()),
    ("⚠ next hazard", "to the next hazard", lambda w: w.step_hazard()),
)


class Stepper:
    """A walk that can be moved: by clicking, or by ``move`` from code.

    Its widgets are made when it is first shown. A page without scripts has the story around the
    current frame, and ``print`` tells that frame in one line.
    """

    def __init__(self, start: Walk) -> None:
        self.walk = start
        self._view: Any = None

    def move(self, to: Walk) -> None:
        """Move to another frame, and show it if the widget is on screen."""
        self.walk = to
        if self._view is not None:
            self._page.value = render(to)
            self._slider.value = to.position

    @property
    def view(self) -> Any:
        """The widget: a box of buttons, a slider and the page."""
        if self._view is None:
            self._view = self._make()
        return self._view

    def _make(self) -> Any:
        import ipywidgets

        self._page = ipywidgets.HTML(render(self.walk))
        self._slider = ipywidgets.IntSlider(
            self.walk.position,
            0,
            max(len(self.walk) - 1, 0),
            description="step",
            readout=False,
            continuous_update=False,
            layout={"width": "100%", "max_width": "60em"},
        )
        self._slider.observe(self._slide, names="value")
        bar = ipywidgets.HBox(
            [self._button(*button) for button in _BUTTONS], layout={"flex_flow": "row wrap"}
        )
        return ipywidgets.VBox([bar, self._slider, self._page])

    def _button(self, name: str, tip: str, go: Callable[[Walk], Walk]) -> Any:
        import ipywidgets

        is_useless = "hazard" in name and not self.walk.stops
        button = ipywidgets.Button(
            description=name, tooltip=tip, disabled=is_useless, layout={"width": "auto"}
        )
        button.on_click(lambda _: self.move(go(self.walk)))
        return button

    def _slide(self, change: Any) -> None:
        if change["new"] != self.walk.position:
            self.move(self.walk.at(change["new"]))

    def _ipython_display_(self) -> None:
        """Show the widget, and folded below it the story, which pages without scripts keep."""
        from IPython.display import display

        for bundle in self.bundles():
            display(bundle, raw=True)

    def bundles(self) -> tuple[dict[str, Any], ...]:
        """What is displayed, by media type: two outputs, since an exported page shows one of each.

        A page that was exported has no kernel behind its widgets, and prefers them all the same.
        """
        try:
            # Before ipywidgets 8, as on Colab, a widget has no bundle and only displays itself.
            model = self.view.model_id
        except ImportError:
            return ({"text/html": render_story(self.walk), "text/plain": repr(self)},)
        view = {"version_major": 2, "version_minor": 0, "model_id": model}
        folded = {"text/html": render_story(self.walk, folded=True), "text/plain": "(as a page)"}
        return {_WIDGET: view, "text/plain": repr(self)}, folded

    def __repr__(self) -> str:
        frame = self.walk.frame
        found = "".join(f"; hazard: {finding.message}" for finding in frame.hazards)
        return (
            f"step {frame.position + 1} of {len(self.walk)}: warp {frame.warp} at line "
            f"{frame.place.line}: {frame.text}{found}"
        )


def step_through(trace: Trace, block: int | None = None) -> Stepper:
    """A widget that steps through a watched block, standing at its first hazard if it has one.

    Args:
        trace: The account of a launch, with watched steps.
        block: A watched block; by default the one of the first hazard, or the first.

    Raises:
        NothingWatchedError: No step of the block was kept.
    """
    return Stepper(walk(trace, block))
