"""What the two lessons on inference open with: how long a pass takes at least, computed."""

from __future__ import annotations

from typing import Any

from gpuedu.choosing.models import known_model
from gpuedu.choosing.steps import peak
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars
from gpuedu.hardware.catalog import device
from gpuedu.units import GB

_MODEL, _DEVICE = "llama3-8b", "h100-sxm"
_TOKENS = 1_000
_RATES = "Computed from Llama 3 8B's weights, and the rates in the H100's data sheet"


def draw_read_and_write() -> Any:
    """The shortest time to read a thousand tokens, and to write as many."""
    found, parameters = device(_DEVICE), known_model(_MODEL).parameters
    read_s = 2 * parameters * _TOKENS / peak(found, "bf16")
    write_s = 2 * parameters * _TOKENS / found.bandwidth_bytes_per_s
    bars = [
        PlainBar(f"read {_TOKENS:,} tokens", read_s, f"{read_s:.2f} s", style.BLUE),
        PlainBar(f"write {_TOKENS:,} tokens", write_s, f"{write_s:.1f} s", style.ORANGE),
    ]
    told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title="The same weights, as many tokens: reading is quick, writing isn't",
        x="shortest possible time (s)",
        source=f"{_RATES}. One text, 16 bits; without attention.",
        alt=f"Shortest possible times on an H100 for one text of Llama 3 8B: {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


def draw_one_token() -> Any:
    """What one token takes at least: its weights' bytes in 16, 8 and 4 bits, and its arithmetic."""
    found, parameters = device(_DEVICE), known_model(_MODEL).parameters
    bars = []
    for bits in (16, 8, 4):
        size_bytes = parameters * bits / 8
        time_ms = 1e3 * size_bytes / found.bandwidth_bytes_per_s
        text = f"{time_ms:.1f} ms for {size_bytes / GB:.0f} GB"
        bars.append(PlainBar(f"weights of {bits} bits", time_ms, text, style.BLUE))
    time_ms = 1e3 * 2 * parameters / peak(found, "bf16")
    bars.append(PlainBar("arithmetic", time_ms, f"{time_ms:.3f} ms", style.ORANGE))
    told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title="One token waits for bytes, and hardly at all for arithmetic",
        x="shortest possible time (ms)",
        source=f"{_RATES}. One text; without its cache.",
        alt=f"Shortest possible times of one token of Llama 3 8B on an H100: {told}.",
    )
    return plot_plain_bars(bars, caption=caption)
