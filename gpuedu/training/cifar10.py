"""CIFAR-10 from files that are on this machine already; nothing is downloaded.

Two forms are read: the binary version (``data_batch_1.bin``; a record is a byte of label and 3072
of pixels, red plane first) and the Python version (``data_batch_1``), which is what torchvision
unpacks. The latter are pickles, which may run any code when they are loaded, so only the names that
an array needs are let through. Source: A. Krizhevsky, "The CIFAR-10 dataset",
https://www.cs.toronto.edu/~kriz/cifar.html.
"""

from __future__ import annotations

import codecs
import io
import pickle
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy._core.multiarray import _reconstruct

from gpuedu.training.data import DataSet, Split
from gpuedu.training.errors import DataUnavailableError

CLASSES = (
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
)  # fmt: skip

_PIXELS = 3 * 32 * 32
_TRAIN = tuple(f"data_batch_{number}" for number in range(1, 6))
_HELD_OUT = ("test_batch",)
_FORMS = (("cifar-10-batches-bin", ".bin"), ("cifar-10-batches-py", ""))


def load_cifar10(folder: str | Path) -> DataSet:
    """CIFAR-10's pictures: inputs (N, 3, 32, 32) uint8, targets (N,) int64 from 0 to 9.

    Args:
        folder: the folder that holds the files, or the one above it (torchvision's ``root``).

    Raises:
        DataUnavailableError: where there are no such files, or they are not what they should be.
    """
    place, ending = _find(Path(folder).expanduser())
    return DataSet(
        name="cifar10",
        train=_read_split(place, _TRAIN, ending),
        held_out=_read_split(place, _HELD_OUT, ending),
        classes=CLASSES,
        source=f"CIFAR-10 (A. Krizhevsky, 2009), from {place}",
    )


def _find(folder: Path) -> tuple[Path, str]:
    for name, ending in _FORMS:
        for place in (folder, folder / name):
            if (place / f"{_TRAIN[0]}{ending}").is_file():
                return place, ending
    raise DataUnavailableError(
        f"no files of CIFAR-10 in {folder}",
        remedy="torchvision.datasets.CIFAR10(folder, download=True) brings them, about 170 MB; "
        "or go on with draw_shapes(), which needs none",
    )


def _read_split(place: Path, names: tuple[str, ...], ending: str) -> Split:
    """All files of the split that are there; a part of the five will do to train on."""
    paths = [path for path in (place / f"{name}{ending}" for name in names) if path.is_file()]
    if not paths:
        raise DataUnavailableError(f"{place}: {names[0]}{ending} is missing", remedy="unpack anew")
    read = _read_binary if ending else _read_pickle
    parts = [_checked(path, *read(path)) for path in paths]
    pixels = np.concatenate([pixels for pixels, _ in parts]).reshape(-1, 3, 32, 32)
    labels = np.concatenate([labels for _, labels in parts])
    return Split(torch.from_numpy(pixels), torch.from_numpy(labels))


def _read_binary(path: Path) -> tuple[np.ndarray, np.ndarray]:
    content = np.fromfile(path, np.uint8)
    if content.size % (1 + _PIXELS):
        raise _damaged(path, f"{content.size} bytes are no whole number of records of 3073")
    records = content.reshape(-1, 1 + _PIXELS)
    return records[:, 1:], records[:, 0]


def _read_pickle(path: Path) -> tuple[np.ndarray, np.ndarray]:
    try:
        content = _ArraysOnly(io.BytesIO(path.read_bytes()), encoding="bytes").load()
        return np.asarray(content[b"data"]), np.asarray(content[b"labels"])
    except DataUnavailableError:
        raise
    except Exception as fault:  # a damaged pickle can raise nearly anything
        raise _damaged(path, f"not a pickle of CIFAR-10 ({fault})") from fault


def _checked(path: Path, pixels: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if pixels.dtype != np.uint8 or pixels.ndim != 2 or pixels.shape[1] != _PIXELS:
        raise _damaged(path, f"pixels are {pixels.dtype} {pixels.shape}, not uint8 (N, 3072)")
    if labels.shape != (len(pixels),) or labels.dtype.kind not in "iu" or not len(labels):
        raise _damaged(path, f"{labels.dtype} labels {labels.shape} for {len(pixels)} pictures")
    if labels.min() < 0 or labels.max() >= len(CLASSES):
        raise _damaged(path, f"a label of {labels.max()}: this may be CIFAR-100")
    return pixels, labels.astype(np.int64)


def _damaged(path: Path, what: str) -> DataUnavailableError:
    return DataUnavailableError(f"{path.name}: {what}", remedy="download and unpack it anew")


class _ArraysOnly(pickle.Unpickler):
    """Lets a pickle name nothing but what rebuilds a NumPy array."""

    _ALLOWED: ClassVar[dict[tuple[str, str], Any]] = {
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        ("numpy.core.multiarray", "_reconstruct"): _reconstruct,  # where NumPy 1 had it
        ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
        ("_codecs", "encode"): codecs.encode,
    }

    def find_class(self, module: str, name: str) -> Any:
        """What the pickle asks for, where it is allowed."""
        if (module, name) not in self._ALLOWED:
            raise DataUnavailableError(
                f"a pickle that asks for {module}.{name}: no file of CIFAR-10 does",
                remedy="do not load this file; download CIFAR-10 anew",
            )
        return self._ALLOWED[module, name]
