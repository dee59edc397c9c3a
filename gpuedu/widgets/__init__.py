"""Things to click through in a notebook: a pure model, and a thin view of it with ipywidgets."""

from __future__ import annotations

from gpuedu.widgets.stepper import Stepper, step_through

__all__ = ["Stepper", "step_through"]
