"""Names of operators and kernels, shortened for a figure or a table."""

from __future__ import annotations

import re

ENGINE = "autograd::engine::evaluate_function: "
"""What the autograd engine writes before the name of the node that it runs."""
_COMPILED = "## Call CompiledFxGraph"
_ANONYMOUS = "(anonymous namespace)::"
_COPY = re.compile(r"Memcpy (\w+)")


def short_name(name: str) -> str:
    """A name without namespaces, template arguments and parameters.

    >>> short_name("aten::addmm"), short_name("autograd::engine::evaluate_function: AddBackward0")
    ('addmm', 'AddBackward0')
    >>> short_name("void at::native::vectorized_elementwise_kernel<4, at::F<float> >(int, at::F)")
    'vectorized_elementwise_kernel'
    >>> short_name("Memcpy HtoD (Pinned -> Device)"), short_name("Optimizer.step#SGD.step")
    ('HtoD', 'SGD.step')
    """
    if name.startswith(_COMPILED):
        return "compiled graph"
    copy = _COPY.match(name)
    if copy:
        return copy[1]
    name = name.removeprefix(ENGINE).rpartition("#")[2].replace(_ANONYMOUS, "")
    bare = _without_templates(name).partition("(")[0].strip()
    is_sentence = " " in bare and "::" not in bare and not bare.startswith("void ")
    return bare if is_sentence else bare.split(" ")[-1].rpartition("::")[2] or name


def _without_templates(name: str) -> str:
    """The name without what stands between angle brackets, however deep."""
    kept, depth = [], 0
    for letter in name:
        depth += letter == "<"
        if depth == 0:
            kept.append(letter)
        depth -= letter == ">" and depth > 0
    return "".join(kept)
