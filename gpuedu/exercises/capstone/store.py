"""Files far away: a store whose requests take time on a simulated clock, and are counted."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping

REQUEST_S = 1e-3
"""From asking a file server to the first byte, in seconds; a request may ask for many files."""
BYTES_PER_S = 200e6
"""What then comes per second."""
MOST_NAME = 200
"""Characters of a file's name."""


class Store:
    """Files by name, read and written by requests that wait ``REQUEST_S``, and for their bytes.

    Args:
        files: their contents; what is written is put there.

    >>> store = Store({"a": bytes(200), "b": bytes(200)})
    >>> [len(one) for one in store.read_many(["a", "b"])], store.requests, store.read_bytes
    ([200, 200], 1, 400)
    """

    def __init__(self, files: MutableMapping[str, bytes]) -> None:
        self._files = files
        self.requests, self.read_bytes, self.written_bytes, self.waited_s = 0, 0, 0, 0.0

    def __contains__(self, name: str) -> bool:
        """Whether there is a file of this name; costs nothing."""
        return name in self._files

    def read(self, name: str) -> bytes:
        """A file's bytes, by one request.

        Raises:
            FileNotFoundError: there is none of this name.
        """
        return self.read_many([name])[0]

    def read_many(self, names: Iterable[str]) -> list[bytes]:
        """Several files' bytes, in this order, by one request for all."""
        found = []
        for name in names:
            if name not in self._files:
                raise FileNotFoundError(f"the store has no file {name!r}")
            found.append(self._files[name])
        size = sum(map(len, found))
        self.read_bytes += size
        self._wait(size)
        return found

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole, by one request."""
        if type(content) is not bytes:  # what extends it can have another length
            raise TypeError(f"a file is written as bytes, got {type(content).__name__}")
        if type(name) is not str or len(name) > MOST_NAME:
            raise ValueError(f"a file's name is a text of at most {MOST_NAME} characters")
        self._files[name] = content
        self.written_bytes += len(content)
        self._wait(len(content))

    def lent(self) -> LentStore:
        """What a program is given of it: no way to its counts."""
        return LentStore(self)

    def _wait(self, size: int) -> None:
        self.requests += 1
        self.waited_s += REQUEST_S + size / BYTES_PER_S


class LentStore:
    """The same store, of which nothing can be set."""

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        object.__setattr__(self, "_store", store)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"the store's {name!r} cannot be set")

    def __contains__(self, name: str) -> bool:
        """See ``Store``."""
        return name in self._store

    def read(self, name: str) -> bytes:
        """See ``Store``."""
        return self._store.read(name)

    def read_many(self, names: Iterable[str]) -> list[bytes]:
        """See ``Store``."""
        return self._store.read_many(names)

    def write(self, name: str, content: bytes) -> None:
        """See ``Store``."""
        self._store.write(name, content)
