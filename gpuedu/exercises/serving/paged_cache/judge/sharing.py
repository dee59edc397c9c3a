"""What texts that share blocks should read, and how many blocks that takes at least."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.exercises.serving.paged_cache.blocks import Operation

Place = Sequence[int | None]
"""A block, an offset in it, and the block that is copied there before, if any."""


class Sharing:
    """The tokens of all texts, as pieces of a block each, which texts share until somebody writes.

    Args:
        size: tokens of a block.

    Attributes:
        texts: of each text its tokens, each by its number and the text that it was written for.
        memory: what was written at a block and an offset, where places were given.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.texts: dict[str, list[str]] = {}
        self.memory: dict[tuple[int | None, int | None], str | None] = {}
        self._pieces: dict[str, list[list[str]]] = {}

    @property
    def needed(self) -> int:
        """How many blocks these pieces take."""
        return len({id(piece) for pieces in self._pieces.values() for piece in pieces})

    def is_shared(self, text: str) -> bool:
        """Whether the last piece of a text is one of another text, too."""
        last = self._pieces[text][-1]
        return sum(one is last for pieces in self._pieces.values() for one in pieces) > 1

    def needs_block(self, text: str) -> bool:
        """Whether the next token of a text takes another block."""
        return len(self.texts.get(text, ())) % self.size == 0 or self.is_shared(text)

    def do(self, operation: Operation) -> None:
        """An operation as it should be, in a memory that is large enough.

        Nothing happens with a text that is not there, as none of its tokens found a place.
        """
        name, text, *rest = operation
        if name == "append":
            self._append(text)
        elif text not in self.texts:
            return
        elif name == "fork":
            self.texts[rest[0]] = list(self.texts[text])
            self._pieces[rest[0]] = list(self._pieces[text])
        else:
            del self.texts[text], self._pieces[text]

    def write(self, text: str, place: Place) -> None:
        """Put the last token of a text where a learner's function says, and copy before."""
        block, offset, copied = place
        if copied is not None:
            for at in range(self.size):
                self.memory[block, at] = self.memory.get((copied, at))
        self.memory[block, offset] = self.texts[text][-1]

    def _append(self, text: str) -> None:
        pieces, tokens = self._pieces.setdefault(text, []), self.texts.setdefault(text, [])
        if len(tokens) % self.size == 0:
            pieces.append([])
        elif self.is_shared(text):
            pieces[-1] = list(pieces[-1])
        tokens.append(f"token {len(tokens)} of {text}")
        pieces[-1].append(tokens[-1])
