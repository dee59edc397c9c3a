"""What the series on training train: the course's models, at a size that keeps a GPU busy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuedu.recording.sizes import GptSizes, TrainingSizes

MODELS = ("mlp", "resnet", "gpt")
_CLASSES, _CHANNELS, _SIDE, _VOCABULARY = 10, 3, 32, 97


@dataclass(frozen=True)
class Trained:
    """A model on a device with one batch that is there, and how its loss is computed."""

    model: Any
    inputs: Any
    targets: Any
    loss: Callable[[Any, Any], Any]


def make(name: str, batch: int, sizes: TrainingSizes, device: str) -> Trained:
    """The model of ``MODELS`` with this name and a batch of random numbers, from fixed seeds.

    ``mlp`` has two hidden layers of ``mlp_width`` over 3072 numbers; ``resnet`` begins with
    ``resnet_width`` channels over pictures of 3 x 32 x 32; ``gpt`` has four blocks of
    ``gpt_width`` over ``gpt_context`` characters.
    """
    import torch
    from torch.nn.functional import cross_entropy

    from gpuedu.training import MLP, CharacterGPT, SmallResNet, character_loss
    from gpuedu.training.seeds import generator, kept_random_state, seed_all

    chance = generator(len(name), batch)
    with kept_random_state():
        seed_all(0)
        if name == "gpt":
            context = sizes.gpt_context
            model = CharacterGPT(_VOCABULARY, context=context, width=sizes.gpt_width, layers=4)
            text = torch.randint(_VOCABULARY, (batch, context + 1), generator=chance)
            inputs, targets = text[:, :-1], text[:, 1:]
        else:
            width = sizes.mlp_width
            inputs = torch.rand(batch, _CHANNELS, _SIDE, _SIDE, generator=chance)
            targets = torch.randint(_CLASSES, (batch,), generator=chance)
            model = (
                MLP(_CHANNELS * _SIDE**2, _CLASSES, hidden=(width, width))
                if name == "mlp"
                else SmallResNet(_CHANNELS, _CLASSES, width=sizes.resnet_width)
            )
    loss = character_loss if name == "gpt" else cross_entropy
    return Trained(model.to(device), inputs.to(device), targets.to(device), loss)


def make_gpt(sizes: GptSizes, context: int, device: str) -> Any:
    """A GPT with fused attention and random weights in float32, always the same on a device."""
    import torch

    from gpuedu.training import CharacterGPT
    from gpuedu.training.seeds import kept_random_state, seed_all

    # Made where it goes: a host takes seconds to draw so many random numbers.
    with kept_random_state(), torch.device(device):
        seed_all(0)
        return CharacterGPT(
            sizes.vocabulary,
            context=context,
            width=sizes.width,
            layers=sizes.layers,
            heads=sizes.heads,
            fused=True,
        )


def make_texts(sizes: GptSizes, texts: int, length: int, device: str) -> Any:
    """Random tokens (texts, length) int64, from a fixed seed."""
    import torch

    from gpuedu.training.seeds import generator

    chance = generator(texts, length)
    return torch.randint(sizes.vocabulary, (texts, length), generator=chance).to(device)


def shape_of(sizes: GptSizes) -> dict[str, int]:
    """The fields of a row that give a GPT's shape."""
    return {
        "width": sizes.width,
        "layers": sizes.layers,
        "heads": sizes.heads,
        "vocabulary": sizes.vocabulary,
    }
