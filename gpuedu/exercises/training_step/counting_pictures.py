"""Pictures of count-the-step: the learner's counts beside PyTorch's, and beside 6 N D."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.exercises.training.quiet import quiet_torch

_MLPS = (
    ("MLP 64-256-256-10, 64 images", 64, (64, 256, 256, 10)),
    ("MLP 64-10, 64 images", 64, (64, 10)),
)


_GPTS = (
    ("GPT, 8 texts of 64", (8, 64, 64, 2, 97)),
    ("GPT, 2 texts of 256", (2, 256, 64, 2, 97)),
)


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
