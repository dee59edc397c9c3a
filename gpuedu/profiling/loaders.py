"""How long a loop waits for a data loader's next batch, and in which line of the dataset."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset
from torch.utils.data import dataloader as torch_loader

from gpuedu.profiling.records import Loader
from gpuedu.training.call_sites import CallSite, is_library, site_of

_EVERY_S = 2e-3
_ITEMS, _MOST_S = 64, 1.0
"""How much of a dataset that workers read is read here, at most, to find its slow line."""


class LoaderWatch:
    """Watches every ``DataLoader`` while ``watching()``.

    Args:
        now: the clock.
        before: called before a loop asks for its next batch.
        after: called with the loader, the times and the batch.
    """

    def __init__(
        self,
        now: Callable[[], float],
        before: Callable[[], None],
        after: Callable[[Loader, float, float, Any, CallSite | None], None],
    ) -> None:
        self._now, self._before, self._after = now, before, after
        self._facts: dict[int, Loader] = {}
        self._iterators: list[Any] = []
        self._sampler = LineSampler()
        self._nested = False
        self.loaders: dict[Loader, Any] = {}
        self.is_sampling = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """PyTorch's own class is made to report; at the end its workers are shut down."""
        base = torch_loader._BaseDataLoaderIter
        begin, following = base.__init__, base.__next__
        watch = self

        def __init__(self: Any, loader: DataLoader) -> None:  # noqa: N807
            begin(self, loader)
            facts = Loader(loader.num_workers, loader.pin_memory, type(loader.dataset).__name__)
            self._gpuedu_facts = facts
            watch.loaders[facts] = loader.dataset
            watch._iterators.append(self)

        def __next__(self: Any) -> Any:  # noqa: N807
            return watch._next(self, following)

        base.__init__, base.__next__ = __init__, __next__  # type: ignore[method-assign]
        try:
            yield
        finally:
            base.__init__, base.__next__ = begin, following  # type: ignore[method-assign]
            self._sampler.stop()
            for one in self._iterators:
                if hasattr(one, "_shutdown_workers"):
                    one._shutdown_workers()
            self._iterators.clear()

    def _next(self, iterator: Any, following: Callable[[Any], Any]) -> Any:
        facts = getattr(iterator, "_gpuedu_facts", None)
        if facts is None or self._nested or threading.current_thread() is not _MAIN:
            return following(iterator)  # a loader that another one's data set reads
        self._before()
        is_sampled = self.is_sampling and facts.workers == 0
        start_s = self._now()
        self._nested = True
        try:
            with self._sampler.sampling() if is_sampled else _nothing():
                batch = following(iterator)
        finally:
            self._nested = False
        self._after(facts, start_s, self._now(), batch, _asking())
        return batch

    def slow_line(self, loader: Loader) -> tuple[CallSite, float] | None:
        """The line in which most samples fell, with their share; workers' data are read here."""
        dataset = self.loaders.get(loader)
        if loader.workers and dataset is not None and not isinstance(dataset, IterableDataset):
            with torch.random.fork_rng(devices=[]), self._sampler.sampling():
                _read(dataset)
        self._sampler.stop()
        return self._sampler.most()


def _asking() -> CallSite | None:
    """The line of the user's that asked for a batch."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_library(frame):
        frame = frame.f_back
    return None if frame is None else site_of(frame)


_MAIN = threading.main_thread()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _read(dataset: Any) -> None:
    """Read some items; a data set that fails here was fine in its worker."""
    end_s = time.perf_counter() + _MOST_S
    try:
        for at in range(min(len(dataset), _ITEMS)):
            dataset[at]
            if time.perf_counter() > end_s:
                return
    except Exception:
        return


class LineSampler:
    """Looks every 2 ms at which line the main thread is in, while ``sampling``."""

    def __init__(self) -> None:
        self._found: Counter[tuple[str, int]] = Counter()
        self._sites: dict[tuple[str, int], CallSite] = {}
        self._is_on = threading.Event()
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def sampling(self) -> Iterator[None]:
        """Count while the block runs."""
        if self._thread is None:
            self._is_over.clear()
            self._thread = threading.Thread(target=self._run, name="gpuedu sampler", daemon=True)
            self._thread.start()
        self._is_on.set()
        try:
            yield
        finally:
            self._is_on.clear()

    def stop(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self._is_over.set()
            self._is_on.set()
            self._thread.join()
            self._is_on.clear()
            self._thread = None

    def most(self) -> tuple[CallSite, float] | None:
        """The line with the most samples, and its share of all of them; None for too few."""
        total = sum(self._found.values())
        if total < 5:
            return None
        place, count = self._found.most_common(1)[0]
        return (self._sites[place], count / total) if place in self._sites else None

    def _run(self) -> None:
        main = _MAIN.ident or 0
        while True:
            self._is_on.wait()
            if self._is_over.wait(_EVERY_S):
                return
            if self._is_on.is_set():
                self._look(sys._current_frames().get(main))

    def _look(self, frame: FrameType | None) -> None:
        """The innermost line of the user's inside of the loader; a library's counts for nobody."""
        while frame is not None and is_library(frame):
            if frame.f_code.co_filename == torch_loader.__file__:
                frame = None
                break
            frame = frame.f_back
        place = ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        self._found[place] += 1
        if frame is not None and place not in self._sites:
            self._sites[place] = site_of(frame)


def tensors_of(batch: Any) -> Any:
    """A batch that ``tree_leaves`` can look into: mappings of other classes become dicts."""
    return dict(batch) if isinstance(batch, Mapping) else batch
