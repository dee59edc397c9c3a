"""Pictures of count-the-step: the learner's counts beside PyTorch's, and beside 6 N D."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.rule_of_six import used_weights
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves

LENGTHS = tuple(2**power for power in range(4, 18))
ASKED_LENGTH = 1024
WIDTHS = (64, 768, 4096)
LAYERS, VOCABULARY = 12, 97
_COLOURS = (style.BLUE, style.RED, style.GREEN)
_MLPS = (
    ("MLP 64-256-256-10, 64 images", 64, (64, 256, 256, 10)),
    ("MLP 64-10, 64 images", 64, (64, 10)),
)
_GPTS = (
    ("GPT, 8 texts of 64", (8, 64, 64, 2, 97)),
    ("GPT, 2 texts of 256", (2, 256, 64, 2, 97)),
)


def draw_rule_of_six(gpt_step_flop: Any) -> Any:
    """A step's FLOP over 6 N D, by the length of the text, for three widths."""
    curves = []
    for width, colour in zip(WIDTHS, _COLOURS, strict=True):
        rule = 6 * used_weights(width, LAYERS, VOCABULARY)
        ratios = tuple(
            float(number(gpt_step_flop(1, length, width, LAYERS, VOCABULARY))) / (rule * length)
            for length in LENGTHS
        )
        curves.append(Curve(f"width {width:,}", LENGTHS, ratios, colour))
    asked = curves[0].y[LENGTHS.index(ASKED_LENGTH)]
    mark = Mark(f"{ASKED_LENGTH:,} characters: {asked:.2f} times", ASKED_LENGTH, asked, (-10, 14))
    told = "; ".join(f"{c.name}: {c.y[0]:.3g} to {c.y[-1]:.3g} times" for c in curves)
    caption = Caption(
        title="A step of a GPT, beside the rule 6 N D",
        x="characters that are read at once",
        y="FLOP of the step / 6 N D",
        source=f"Computed by your gpt_step_flop, {LAYERS} layers. N: the weights that products "
        "use, D: characters in the step.",
        alt=f"Lines over the length of the text, from {LENGTHS[0]} to {LENGTHS[-1]}. {told}.",
    )
    rule = Level("6 N D", 1.0, style.INK, dashes=(2, 2))
    return plot_curves(curves, [rule], [mark], caption=caption)


def counted_steps(mlp_step_flop: Any, gpt_step_flop: Any) -> str:
    """The learner's counts of four models' steps beside those of PyTorch's counter, as a table."""
    lines = [f"{'':30}{'yours':>16}{'PyTorch counts':>18}"]
    with quiet_torch():
        for name, samples, widths in _MLPS:
            own = number(mlp_step_flop(samples, list(widths)), "what `mlp_step_flop` returned")
            lines.append(_line(name, own, count_mlp_step(samples, widths)))
        for name, sizes in _GPTS:
            own = number(gpt_step_flop(*sizes), "what `gpt_step_flop` returned")
            lines.append(_line(name, own, count_gpt_step(*sizes)))
    return "\n".join([*lines, "", "GPT: width 64, 2 blocks, 97 characters to choose from."])


def _line(name: str, own: float, counted: int) -> str:
    verdict = "equal" if own == counted else f"{own / counted:.4g} times"
    return f"{name:30}{own:>16,.0f}{counted:>18,}   {verdict}"


def count_mlp_step(samples: int, widths: tuple[int, ...]) -> int:
    """FLOP of a step of an MLP, as ``torch.utils.flop_counter`` counts them."""
    import torch

    from gpuedu.training import MLP

    model = MLP(widths[0], widths[-1], hidden=widths[1:-1])
    targets = torch.zeros(samples, dtype=torch.long)
    loss = torch.nn.functional.cross_entropy
    return _count(lambda: loss(model(torch.ones(samples, widths[0])), targets))


def count_gpt_step(samples: int, length: int, width: int, layers: int, vocabulary: int) -> int:
    """The same of a character GPT."""
    import torch

    from gpuedu.training import CharacterGPT, character_loss

    model = CharacterGPT(vocabulary, context=length, width=width, layers=layers)
    text = torch.zeros(samples, length, dtype=torch.long)
    return _count(lambda: character_loss(model(text), text))


def _count(loss: Any) -> int:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        loss().backward()
    return counter.get_total_flops()


COUNTING_PICTURES = {
    "count-the-step": draw_rule_of_six,
    "training-step/counted": counted_steps,
}
