"""prefix-cache: its picture, of requests of which the server knows the beginning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.serving.prefix_cache.matching import keys_of, matched
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts

_SIZE = 16
_INSTRUCTIONS = 500
_TURNS = (("Ann", 60, 120), ("Ben", 30, 200), ("Ann", 40, 150), ("Ann", 25, 90), ("Ben", 50, 80))
"""Who asks, in tokens of the question, and of the answer that comes."""


def requests() -> list[tuple[str, list[int], list[int]]]:
    """Of each request a name, its prompt, and the text with the answer; in the order they come."""
    fresh = iter(range(1, 100_000))

    def some(count: int) -> list[int]:
        return [next(fresh) for _ in range(count)]

    shared, chats, turns, found = some(_INSTRUCTIONS), {}, {}, []
    for who, asked, answered in _TURNS:
        prompt = chats.get(who, shared) + some(asked)
        chats[who] = prompt + some(answered)
        turns[who] = turns.get(who, 0) + 1
        found.append((f"{who}, question {turns[who]}", prompt, chats[who]))
    found.append(("Ann's last, once more", found[3][1], found[3][2]))
    return found


def draw_requests(keys: Callable[..., Any], match: Callable[..., Any]) -> Any:
    """Of each prompt the tokens that are known, and those that are read, by the learner's."""
    known: set[int] = set()
    bars, total, read = [], 0, 0
    for name, prompt, text in requests():
        found = matched(match, known, prompt, _SIZE)
        left = len(prompt) - found
        is_right = 0 < left <= len(prompt)
        parts = {"known": float(found), "read": float(left)}
        bars.append(Parts(name, parts, f"{left:,} of {len(prompt):,} read", is_right))
        total, read = total + len(prompt), read + left
        known |= set(keys_of(keys, text, _SIZE))
    told = "; ".join(f"{bar.name}: {bar.text}" for bar in bars)
    caption = Caption(
        title=f"Of {total:,} tokens of prompts, {read:,} are read",
        x="tokens of the prompt",
        source=f"By your functions, in blocks of {_SIZE}. {_INSTRUCTIONS} tokens of instructions "
        "come first. Nothing is evicted.",
        alt=f"A bar for each prompt, with what is known and what is read. {told}.",
    )
    return plot_parts(bars, caption=caption)


PICTURE = draw_requests
