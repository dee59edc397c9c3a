"""Pictures of memory: a step of the GPT, what it saves, and the learner's ledger beside a count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures.caption import Caption
from gpuedu.figures.training.memory import plot_memory
from gpuedu.units import format_size

if TYPE_CHECKING:
    from gpuedu.training.memory import MemoryTrace


GPT_SAMPLES, GPT_LENGTH, CHARACTERS = 32, 64, 97


_TEXTS = ((GPT_SAMPLES, GPT_LENGTH), (8, 256))


def here() -> str:
    """The device on which memory is looked at: a GPU where there is one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def told_how(device: str) -> str:
    """How the bytes were found, for the line below a figure."""
    if device.startswith("cuda"):
        return "Reported by the allocator of this machine's GPU"
    return "Counted on this machine's CPU, storage by storage"


def watch_gpt(
    samples: int = GPT_SAMPLES,
    length: int = GPT_LENGTH,
    *,
    fused: bool = False,
    device: str = "cpu",
) -> MemoryTrace:
    """One step with Adam of the GPT that the lesson opens with."""
    import torch

    from gpuedu.training import CharacterGPT, character_loss
    from gpuedu.training.memory import watch_step

    with quiet_torch():
        model = CharacterGPT(CHARACTERS, context=length, fused=fused).to(device)
        text = torch.randint(CHARACTERS, (samples, length))
        adam = torch.optim.Adam(model.parameters())
        return watch_step(model, (text, text), character_loss, adam)


def draw_step() -> Any:
    """Memory over one step of the GPT, by kind."""
    from gpuedu.training.memory import peak_bytes, points

    trace = watch_gpt(device=here())
    stages = points(trace)
    weights = max(point.by_kind["weights"] for point in stages)
    most = peak_bytes(trace)
    caption = Caption(
        title="One training step of a small GPT",
        x="moments: one for each storage that is made or freed",
        y="memory",
        source=f"{told_how(trace.device)}: {GPT_SAMPLES} texts of {GPT_LENGTH} characters, Adam, "
        "float32.",
        alt=f"Areas over a step: saved activations grow through the forward pass up to a peak of "
        f"{format_size(most)} and are freed in the backward pass; weights are "
        f"{format_size(weights)}.",
    )
    return plot_memory(stages, caption=caption)


def saved_by_layer() -> str:
    """What the layers of the GPT's first block save, and the rest, plain and with fused attention.

    Returns:
        A table as text, in MiB; as many characters in short and in long texts.
    """
    runs = [(samples, length, fused) for samples, length in _TEXTS for fused in (False, True)]
    tables = [_saved_rows(watch_gpt(n, length, fused=fused)) for n, length, fused in runs]
    names = [name for name in tables[0] if name.startswith("blocks.0.")]
    groups = {name.removeprefix("blocks.0."): [name] for name in names}
    groups["the other block"] = [n for n in tables[0] if n.startswith("blocks.1.")]
    groups["the rest"] = [n for n in tables[0] if not n.startswith("blocks.")]
    groups["together"] = list(tables[0])
    heads = "".join(f"{f'{n} texts of {length}':>20}" for n, length in _TEXTS)
    lines = [f"{'saved for backward, in MiB':28}{heads}"]
    lines.append(f"{'attention:':28}" + "".join(f"{'plain':>12}{'fused':>8}" for _ in _TEXTS))
    for title, group in groups.items():
        sizes = [sum(table.get(name, 0) for name in group) / 2**20 for table in tables]
        cells = "".join(f"{size:>{12 if at % 2 == 0 else 8}.2f}" for at, size in enumerate(sizes))
        lines.append(f"{title:28}{cells}")
    return "\n".join([*lines, "", "Counted on this machine's CPU, storage by storage."])


def _saved_rows(trace: MemoryTrace) -> dict[str, int]:
    from gpuedu.training.memory import end_of, ledger_at

    ledger = ledger_at(trace, end_of(trace, "forward"))
    return {row.layer: row.size_bytes for row in ledger.rows if row.kind == "activations"}
