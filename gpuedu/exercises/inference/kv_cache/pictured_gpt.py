"""The course's GPT writes several texts at once with a learner's cache; what each step computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.flop_counter import FlopCounterMode

from gpuedu.errors import AnswerError
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, require_tensor
from gpuedu.training import CharacterGPT
from gpuedu.training.library_text import VOCABULARY, decode, encode
from gpuedu.training.seeds import generator

Answer = Callable[..., Any]
_SHARPER = 8.0
"""By how much weights are larger than at the start of a training: all scores were alike there."""


@dataclass(frozen=True)
class Written:
    """``texts``, and for each step its ``flop`` and how many tokens each text had after it."""

    texts: tuple[str, ...]
    flop: tuple[int, ...]
    lengths: tuple[tuple[int, ...], ...] = ()


def build_gpt(context: int) -> CharacterGPT:
    """A model whose weights are drawn, and large enough that each of its parts is seen."""
    with quiet_torch(21):
        model = CharacterGPT(len(VOCABULARY), context=context, width=64, layers=2, heads=4)
        with torch.no_grad():
            for weights in model.parameters():
                weights.mul_(_SHARPER if weights.ndim > 1 else 1.0)
    return model


class CachedGPT:
    """A model that is given new characters alone.

    Args:
        model: whose layers compute all but what is looked up in the caches.
        positions: the learner's.
        attend: the learner's.
        texts: how many are written at once.
    """

    def __init__(self, model: CharacterGPT, positions: Answer, attend: Answer, texts: int) -> None:
        self._model, self._positions, self._attend = model, positions, attend
        self.lengths = torch.zeros(texts, dtype=torch.long)
        attention = model.blocks[0].attention
        width = attention.out.in_features // attention.heads
        shape = texts, attention.heads, model.context, width
        self._caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in model.blocks]

    @torch.no_grad()
    def __call__(self, characters: Tensor, own: Tensor) -> Tensor:
        """Scores (N, T, vocabulary) of new characters (N, T), of which ``own`` (N,) are kept."""
        model, length = self._model, characters.shape[1]
        places = self._positions(self.lengths.clone(), length)
        as_array(places, characters.shape, "the result of `positions`", "int64")
        states = model.characters(characters) + model.places(places)
        for block, caches in zip(model.blocks, self._caches, strict=True):
            states = states + self._look(block.attention, block.attention_norm(states), caches)
            states = states + block.network(block.network_norm(states))
        self.lengths += own
        return model.head(model.norm(states))

    def _look(self, attention: Any, states: Tensor, caches: tuple[Tensor, Tensor]) -> Tensor:
        """What ``CausalAttention`` does, with the learner's function in its middle."""
        texts, length, width = states.shape
        parts = attention.query_key_value(states).view(texts, length, 3, attention.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = self._attend(query, key, value, *caches, self.lengths.clone())
        if require_tensor(mixed, "the result of `attend`").shape != query.shape:
            told = f"{tuple(mixed.shape)}, expected {tuple(query.shape)}"
            raise AnswerError(f"the result of `attend` has shape {told}")
        return attention.out(mixed.transpose(1, 2).reshape(texts, length, width))


def write_cached(
    model: CharacterGPT,
    starts: Sequence[str],
    positions: Answer,
    attend: Answer,
    *,
    characters: int,
) -> Written:
    """All texts at once, each as ``write_text`` writes it with its number as the seed."""
    cached = CachedGPT(model, positions, attend, len(starts))
    numbers = [encode(start) for start in starts]
    chances = [generator(seed) for seed in range(len(starts))]
    new = pad_sequence(numbers, batch_first=True)
    own = torch.tensor([one.shape[0] for one in numbers])
    flop, lengths = [], []
    for _ in range(characters):
        with counting() as counter:
            scores = cached(new, own)
        flop.append(counter.get_total_flops())
        lengths.append(tuple(cached.lengths.tolist()))
        last = scores[torch.arange(len(starts)), own - 1]
        drawn = [_draw(one, chance) for one, chance in zip(last, chances, strict=True)]
        numbers = [torch.cat(both) for both in zip(numbers, drawn, strict=True)]
        new, own = torch.stack(drawn), torch.ones_like(own)
    return Written(tuple(map(decode, numbers)), tuple(flop), tuple(lengths))


@torch.no_grad()
def write_plain(model: CharacterGPT, starts: Sequence[str], *, characters: int) -> Written:
    """The same texts one by one and without a cache; each step's FLOP of all texts together.

    What a pass takes depends on its length alone, and is counted once for each.
    """
    texts, flop, of_length = [], [0] * characters, dict[int, int]()
    for seed, start in enumerate(starts):
        numbers, chance = encode(start), generator(seed)
        for step in range(characters):
            length = numbers.shape[0]
            with nullcontext() if length in of_length else counting() as counter:
                scores = model(numbers[None])[0, -1]
            if counter is not None:
                of_length[length] = counter.get_total_flops()
            flop[step] += of_length[length]
            numbers = torch.cat([numbers, _draw(scores, chance)])
        texts.append(decode(numbers))
    return Written(tuple(texts), tuple(flop))


def _draw(scores: Tensor, chance: torch.Generator) -> Tensor:
    shares = scores.float().softmax(0)
    if not shares.isfinite().all():
        raise AnswerError(
            "with your `attend`, the model's scores become NaN or infinite",
            remedy="What does `check` say of it?",
        )
    return torch.multinomial(shares, 1, generator=chance)


def counting() -> FlopCounterMode:
    """Counts the FLOP of matrix products, and of PyTorch's own attention on a CPU."""
    fused = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    return FlopCounterMode(display=False, custom_mapping={fused: _fused_flop})


def _fused_flop(query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    """Scores and weighted values, 2 FLOP each for a number of each pair."""
    texts, heads, length, width = query
    return 2 * 2 * texts * heads * length * key[2] * width
