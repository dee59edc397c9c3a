"""Pictures of a training run: its losses, its memory, its numbers on the line of a format.

>>> from gpuedu.figures.caption import Caption
>>> curve = LossCurve("plain SGD", (0, 1, 2), (2.3, 1.9, 1.7))
>>> ax = plot_losses([curve], caption=Caption("Losses", "a falling curve", "measured here"))
"""

from gpuedu.figures.training.formats import FormatRange
from gpuedu.figures.training.ledger import LedgerPair, plot_ledger
from gpuedu.figures.training.losses import LossCurve, plot_losses
from gpuedu.figures.training.memory import plot_memory
from gpuedu.figures.training.number_line import plot_number_line
from gpuedu.figures.training.surface import plot_surface

__all__ = [
    "FormatRange",
    "LedgerPair",
    "LossCurve",
    "plot_ledger",
    "plot_losses",
    "plot_memory",
    "plot_number_line",
    "plot_surface",
]
