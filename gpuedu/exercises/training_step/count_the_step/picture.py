"""count-the-step: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.exercises.training_step.count_the_step.rule_of_six import used_weights
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves

LENGTHS = tuple(2**power for power in range(4, 18))


ASKED_LENGTH = 1024


WIDTHS = (64, 768, 4096)


LAYERS, VOCABULARY = 12, 97


_COLORS = (style.BLUE, style.RED, style.GREEN)


def draw_rule_of_six(gpt_step_flop: Any) -> Any:
    """A step's FLOP over 6 N D, by the length of the text, for three widths."""
    curves = []
    for width, color in zip(WIDTHS, _COLORS, strict=True):
        rule = 6 * used_weights(width, LAYERS, VOCABULARY)
        ratios = tuple(
            float(number(gpt_step_flop(1, length, width, LAYERS, VOCABULARY))) / (rule * length)
            for length in LENGTHS
        )
        curves.append(Curve(f"width {width:,}", LENGTHS, ratios, color))
    asked = curves[0].y[LENGTHS.index(ASKED_LENGTH)]
    mark = Mark(f"{ASKED_LENGTH:,} characters: {asked:.2f} times", ASKED_LENGTH, asked, (-10, 14))
    told = "; ".join(f"{c.name}: {c.y[0]:.3g} to {c.y[-1]:.3g} times" for c in curves)
    caption = Caption(
        title="A step of a GPT, beside the rule 6 N D",
        x="characters that are read at once",
        y="FLOP of the step / 6 N D",
        source=f"Computed by your gpt_step_flop, {LAYERS} layers. N: the weights that products "
        "use, D: characters in the step.",
        alt=f"Lines over the length of the text, from {LENGTHS[0]:,} to {LENGTHS[-1]:,}. {told}.",
    )
    rule = Level("6 N D", 1.0, style.INK, dashes=(2, 2))
    return plot_curves(curves, [rule], [mark], caption=caption)


PICTURE = draw_rule_of_six
