"""A server of a language model, simulated: which texts wait, which run, and when tokens are there.

It simplifies: a step's time is that of the weights, and a share for each text, however long the
text is; a prompt is read in one step; and a text holds memory for its prompt and for all tokens
that it has made, no more and no less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Text = Mapping[str, Any]
"""A request: its ``id``, ``arrival`` in ms, tokens of its ``prompt``, ``limit`` and ``answer``."""

Policy = Callable[[list[dict[str, Any]], list[dict[str, Any]], int], Sequence[int]]
"""Gives the ids of the texts to start, of those that wait, those that run, and free tokens."""

STEP_MS, TEXT_MS, PROMPT_MS = 20.0, 0.5, 0.1
"""A step takes this, for each text that runs this more, and for each token of a prompt it reads."""


@dataclass(frozen=True)
class Ask:
    """A step before which a policy was asked: what it was given, and which ids it started."""

    time_ms: float
    waiting: list[dict[str, Any]]
    running: list[dict[str, Any]]
    free_tokens: int
    started: list[int]


@dataclass
class Served:
    """What became of a request: when it was started, and when each of its tokens was there."""

    text: Text
    started_ms: float | None = None
    tokens_ms: list[float] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        """Whether the whole answer is there."""
        return len(self.tokens_ms) == self.text["answer"]

    @property
    def held_tokens(self) -> int:
        """The tokens that it holds in memory while it runs."""
        return self.text["prompt"] + len(self.tokens_ms)


@dataclass(frozen=True)
class Run:
    """All that happened: requests in the order of their arrival, and each time a policy was asked.

    ``most_held`` is the largest number of tokens that were in memory at the same time.
    """

    served: list[Served]
    asks: list[Ask]
    most_held: int


def serve(policy: Policy, texts: Sequence[Text], memory_tokens: int) -> Run:
    """Serve all requests, or as many as the policy starts.

    The policy is asked before each step, as long as a text waits. It has to give ids of texts that
    wait. Where it gives too many for the memory, they run all the same.

    >>> alone = [{"id": 7, "arrival": 5.0, "prompt": 10, "limit": 9, "answer": 2}]
    >>> run = serve(lambda waiting, running, free_tokens: [7], alone, 100)
    >>> run.served[0].started_ms, run.served[0].tokens_ms
    (5.0, [26.5, 47.0])
    """
    served = [Served(text) for text in sorted(texts, key=lambda text: text["arrival"])]
    asks: list[Ask] = []
    coming, waiting, running = list(served), list[Served](), list[Served]()
    time_ms, most_held = 0.0, 0
    while coming or waiting or running:
        if not waiting and not running:
            time_ms = max(time_ms, coming[0].text["arrival"])
        while coming and coming[0].text["arrival"] <= time_ms:
            waiting.append(coming.pop(0))
        new: list[Served] = []
        if waiting:
            held = sum(one.held_tokens for one in running)
            asks.append(_ask(policy, time_ms, waiting, running, max(0, memory_tokens - held)))
            new = [one for one in waiting if one.text["id"] in asks[-1].started]
        for one in new:
            waiting.remove(one)
            running.append(one)
            one.started_ms = time_ms
        if not running:
            if not coming:
                break
            time_ms = coming[0].text["arrival"]
            continue
        read = sum(one.text["prompt"] for one in new)
        time_ms += STEP_MS + TEXT_MS * len(running) + PROMPT_MS * read
        for one in running:
            one.tokens_ms.append(time_ms)
        most_held = max(most_held, sum(one.held_tokens for one in running))
        running = [one for one in running if not one.is_done]
    return Run(served, asks, most_held)


def _ask(
    policy: Policy,
    time_ms: float,
    waiting: Sequence[Served],
    running: Sequence[Served],
    free_tokens: int,
) -> Ask:
    """Ask with copies: what is kept of it stays as it is."""
    known = [_told(one) for one in waiting], [_told(one, is_running=True) for one in running]
    started = policy(*([dict(text) for text in texts] for texts in known), free_tokens)
    return Ask(time_ms, *known, free_tokens, list(started))


def _told(one: Served, *, is_running: bool = False) -> dict[str, Any]:
    """Of a request what a policy may know."""
    text = one.text
    told = {"id": text["id"], "prompt": text["prompt"], "limit": text["limit"]}
    return {**told, "made": len(one.tokens_ms)} if is_running else told
