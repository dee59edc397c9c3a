"""The shapes of transformers: what memory and time are computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from gpuedu.errors import GpueduError
from gpuedu.syllabus import unknown


class ShapeError(GpueduError):
    """A model, batch or length that cannot exist: what was given, and what would be right."""


@dataclass(frozen=True)
class Model:
    """A decoder-only transformer.

    Args:
        parameters: how many numbers are trained.
        layers: blocks, each of attention and a network of two or three matrices.
        width: numbers per token.
        heads: attention heads side by side; their number divides the width.
        kv_heads: how many heads have their own keys and values (grouped-query attention).
        vocabulary: different tokens.

    Raises:
        ShapeError: a value is not a positive whole number, or the heads do not divide.
    """

    parameters: int
    layers: int
    width: int
    heads: int
    kv_heads: int
    vocabulary: int

    def __post_init__(self) -> None:
        for name in (one.name for one in fields(self)):
            require_count(name, getattr(self, name))
        if self.width % self.heads:
            raise ShapeError(
                f"a width of {self.width} cannot be divided among {self.heads} heads",
                remedy="heads that divide the width, such as width / 64 or width / 128",
            )
        if self.heads % self.kv_heads:
            raise ShapeError(
                f"{self.heads} heads cannot share {self.kv_heads} keys and values",
                remedy="kv_heads that divide the heads; the same number where none are shared",
            )


def require_count(name: str, value: object) -> None:
    """Raise ShapeError unless a value is a positive whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ShapeError(
            f"{name} is {value!r}, and should be a whole number of 1 or more",
            remedy="a count, such as 12; of billions, 7_000_000_000 or int(7e9)",
        )


def count_parameters(layers: int, width: int, vocabulary: int) -> int:
    """About how many parameters a GPT with these shapes has: 12 width² a layer, and the embedding.

    >>> round(count_parameters(12, 768, 50257) / 1e6)
    124
    """
    return 12 * layers * width**2 + vocabulary * width


_GPT2 = "A. Radford et al., Language Models are Unsupervised Multitask Learners, 2019, table 2"
_GPT3 = "T. Brown et al., arXiv:2005.14165, table 2.1"
_OPT = "S. Zhang et al., OPT, arXiv:2205.01068, table 1"
_LLAMA2 = (
    "H. Touvron et al., Llama 2, arXiv:2307.09288, and the config.json of the published weights"
)
_LLAMA3 = "Llama Team, The Llama 3 Herd of Models, arXiv:2407.21783, table 3"

KNOWN: Mapping[str, tuple[Model, str]] = {
    "gpt2": (Model(124_439_808, 12, 768, 12, 12, 50_257), _GPT2),
    "gpt2-xl": (Model(1_557_611_200, 48, 1600, 25, 25, 50_257), _GPT2),
    "opt-13b": (Model(12_853_473_280, 40, 5120, 40, 40, 50_272), _OPT),
    "gpt3": (Model(175_000_000_000, 96, 12_288, 96, 96, 50_257), _GPT3),
    "llama2-7b": (Model(6_738_415_616, 32, 4096, 32, 32, 32_000), _LLAMA2),
    "llama2-70b": (Model(68_976_648_192, 80, 8192, 64, 8, 32_000), _LLAMA2),
    "llama3-8b": (Model(8_030_261_248, 32, 4096, 32, 8, 128_256), _LLAMA3),
    "llama3-70b": (Model(70_553_706_496, 80, 8192, 64, 8, 128_256), _LLAMA3),
}
"""Published models, each with the document that its shapes come from."""


def known_model(name: str) -> Model:
    """A published model; UnknownNameError with the nearest names.

    >>> known_model("gpt2").layers
    12
    """
    if name not in KNOWN:
        raise unknown("model", name, KNOWN)
    return KNOWN[name][0]
