"""Decoding: one token for each text of a batch, by a GPT that keeps keys and values."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.points import Point, PreparedPoint, Series
from gpuedu.recording.sizes import GptSizes, Sizes
from gpuedu.recording.training_models import make_gpt, make_texts, shape_of
from gpuedu.recording.training_steps import require_torch

LAUNCHED, CAPTURED = "launched by PyTorch", "CUDA graph"

SCORES_OFF = 0.05
"""How far a text's scores may be from those in float32, as a share of their length. On a CPU
rounding to bfloat16 moved them by 0.01, whatever the width from 32 to 1024. With keys and values
swapped in one layer of eight, or none in the last, they are off by 0.15 and more."""

_DISTINCT_TEXTS = 4
_STEPS = 8
_WARMUPS = 3


def steps(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each batch with texts of each length; on a GPU as a graph too."""
    modes = (LAUNCHED, CAPTURED) if bench.torch_device == "cuda" else (LAUNCHED,)
    return [
        Point(
            {"batch": batch, "length": length, "mode": mode},
            lambda b=batch, n=length, m=mode: _work(bench, sizes.decoded, b, n, m),
        )
        for length in sizes.decoded.lengths
        for batch in sizes.decoded.batches
        for mode in modes
    ]


class Decoder:
    """Texts whose last token is to be read, and a GPT that has read those before it.

    ``cache`` has for each layer the keys and values of all positions, (2, batch, heads, length,
    width / heads); at the last position it is NaN until a step writes there. A step always decodes
    that position: run again, it does the same work with the same result.

    Args:
        model: A CharacterGPT, in the dtype and on the device to decode with.
        texts: Tokens (D, length) int64; text i of the batch is row i % D.
        batch: How many texts, at least D.
    """

    def __init__(self, model: Any, texts: Any, batch: int) -> None:
        import torch

        self.model, self.texts = model.requires_grad_(False), texts
        distinct, length = texts.shape
        self.rows = torch.arange(batch, device=texts.device) % distinct
        self.tokens = texts[self.rows, -1:]
        weight, heads = model.head.weight, model.blocks[0].attention.heads
        shape = (2, batch, heads, length, weight.shape[1] // heads)
        self.cache = [weight.new_full(shape, float("nan")) for _ in model.blocks]
        self._read_before(distinct)
        self.scores: Any = None
        self.chosen: Any = None

    def _read_before(self, distinct: int) -> None:
        """Fill the cache up to the last position: read each text once, then copy."""
        self._states(self.texts[:, :-1], [kept[:, :distinct] for kept in self.cache], 0)
        for kept in self.cache:
            for start in range(distinct, len(self.rows), distinct):
                copies = kept[:, start : start + distinct]
                copies.copy_(kept[:, : copies.shape[1]])
            kept[..., -1, :] = float("nan")

    def run(self) -> None:
        """Decode one token of each text: ``scores`` (batch, vocabulary), ``chosen`` (batch,)."""
        states = self._states(self.tokens, self.cache, self.texts.shape[1] - 1)
        self.scores = self.model.head(self.model.norm(states))[:, 0]
        self.chosen = self.scores.argmax(dim=1)

    def forget(self) -> None:
        """Undo what a step wrote."""
        for kept in self.cache:
            kept[..., -1, :] = float("nan")
        self.scores.fill_(float("nan"))
        self.chosen.fill_(-1)

    def fault(self) -> str:
        """What is wrong with the last step; nothing if it agrees with a whole forward pass.

        That pass is the model's own, in float32, over all positions of each text.
        """
        exact = copy.deepcopy(self.model).float()(self.texts)[:, -1][self.rows]
        got = self.scores.float()
        off = (got - exact).norm(dim=1) / exact.norm(dim=1)
        wrong = ~(off <= SCORES_OFF)
        if wrong.any():
            text = int(wrong.int().argmax())
            return (
                f"the scores of text {text} are off by {float(off[text]):.2g} of their length, "
                f"at most {SCORES_OFF}"
            )
        if not bool((self.chosen == got.argmax(dim=1)).all()):
            return "a chosen token is not the one with the highest score"
        return ""

    def _states(self, tokens: Any, cache: Sequence[Any], start: int) -> Any:
        """States (N, T, width) of tokens (N, T) whose first is at position ``start``."""
        end = start + tokens.shape[1]
        states = self.model.characters(tokens) + self.model.places.weight[start:end]
        for block, kept in zip(self.model.blocks, cache, strict=True):
            normed = block.attention_norm(states)
            states = states + attend(block.attention, normed, kept[..., :end, :], start)
            states = states + block.network(block.network_norm(states))
        return states


def attend(attention: Any, states: Any, kept: Any, start: int) -> Any:
    """Attention of new positions to themselves and all before them: (N, T, width) to the same.

    Args:
        attention: A CausalAttention.
        states: (N, T, width), of all positions up to T, or of one more: start is 0, or T is 1.
        kept: Keys and values (2, N, heads, start + T, width / heads); those of the new positions
            are written.
        start: The position of the first.
    """
    from torch.nn import functional

    texts, new, width = states.shape
    parts = attention.query_key_value(states).view(texts, new, 3, attention.heads, -1)
    query, *key_value = parts.permute(2, 0, 3, 1, 4)  # each (N, heads, T, width / heads)
    for place, part in enumerate(key_value):
        kept[place, :, :, start:] = part
    mixed = functional.scaled_dot_product_attention(query, kept[0], kept[1], is_causal=new > 1)
    return attention.out(mixed.transpose(1, 2).reshape(texts, new, width))


def captured(torch: Any, run: Callable[[], object]) -> Callable[[], object]:
    """The kernels of a run as a CUDA graph, launched all at once.

    Before the capture it runs a few times on a separate stream, as PyTorch's documentation asks
    ("CUDA semantics", CUDA graphs): libraries make their workspaces then.
    """
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(_WARMUPS):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def _work(bench: GpuBench, sizes: GptSizes, batch: int, length: int, mode: str) -> PreparedPoint:
    require_torch(bench)
    torch, device = bench.torch, bench.torch_device
    dtype = torch.bfloat16
    if device == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        dtype = torch.float16
    model = make_gpt(sizes, length, device).to(dtype)
    texts = make_texts(sizes, min(batch, _DISTINCT_TEXTS), length, device)
    decoder, run = Decoder(model, texts, batch), None
    if mode == CAPTURED:
        run = captured(torch, decoder.run)
        decoder.forget()
    parameters = list(model.parameters())
    fields = {
        "parameters": sum(p.numel() for p in parameters),
        "weight_bytes": sum(p.nbytes for p in parameters),
        "cache_bytes": sum(kept.nbytes for kept in decoder.cache),
        "dtype": str(dtype).removeprefix("torch."),
        **shape_of(sizes),
    }
    return PreparedPoint(
        run or decoder.run, decoder.fault, by_host=True, times=_STEPS, fields=fields
    )


SERIES = (
    Series(
        "decode-step",
        "decoding.json",
        "s",
        "One token for each of `batch` texts of `length` tokens, by a GPT with random weights in "
        "16 bits that keeps keys and values, by PyTorch: attention of one position, the scores and "
        f"the most likely token. The host's clock, {_STEPS} steps queued one after another, a "
        "step's share; each decodes the same position. `cache_bytes` is all keys and values.",
        steps,
        3.0,
    ),
)
