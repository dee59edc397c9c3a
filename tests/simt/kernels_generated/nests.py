"""Kernels of loops and conditions in each other, with jumps in all of them."""

from __future__ import annotations

import numpy as np


def nest(seed: int) -> str:
    """A kernel of nested loops and conditions with jumps in all of them."""
    rng = np.random.default_rng(seed)
    lines = ["def kernel(a, out):", "    i = cuda.grid(1)", "    x, y = i % 7, 1"]
    counter = [0]

    def condition() -> str:
        p, q = rng.integers(2, 6), rng.integers(0, 4)
        return f"(x + {rng.integers(0, 5)} * y + a[i % a.size]) % {p} == {q % p}"

    def block(depth: int, indent: str, in_loop: bool) -> None:
        for _ in range(rng.integers(1, 4)):
            kind = rng.integers(0, 9)
            if kind < 2 and depth < 4:
                counter[0] += 1
                k = f"k{counter[0]}"
                lines.append(f"{indent}for {k} in range(x % {rng.integers(2, 5)} + 1):")
                lines.append(f"{indent}    y += {k}")
                block(depth + 1, indent + "    ", True)
                if rng.integers(0, 2):
                    lines.append(f"{indent}else:")
                    lines.append(f"{indent}    x += 3")
            elif kind < 5 and depth < 4:
                lines.append(f"{indent}if {condition()}:")
                block(depth + 1, indent + "    ", in_loop)
                if rng.integers(0, 2):
                    lines.append(f"{indent}else:")
                    block(depth + 1, indent + "    ", in_loop)
            elif kind == 5 and in_loop:
                lines.append(f"{indent}if {condition()}:")
                lines.append(f"{indent}    " + ["break", "continue"][rng.integers(0, 2)])
            elif kind == 6 and depth and rng.integers(0, 2):
                lines.append(f"{indent}if {condition()}:")
                lines.append(f"{indent}    out[i] = x * 1000 + y")
                lines.append(f"{indent}    return")
            elif kind == 7:
                lines.append(f"{indent}x, y = y % 100, x")
            else:
                lines.append(f"{indent}x = (x * {rng.integers(2, 5)} + y) % 101")

    for _ in range(3):
        block(0, "    ", False)
    lines.append("    out[i] = -x - 1000 * y")
    return "\n".join(lines) + "\n"
