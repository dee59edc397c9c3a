"""CIFAR-10 from small files in its own two forms, and from files that are not what they say."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
import torch

from gpuedu.training.cifar10 import load_cifar10
from gpuedu.training.errors import DataUnavailableError


def _records(seed, count):
    chance = np.random.default_rng(seed)
    return (
        chance.integers(0, 256, (count, 3072), dtype=np.uint8),
        chance.integers(0, 10, count),
    )


def _write_binary(folder, name, pixels, labels):
    folder.mkdir(exist_ok=True)
    records = np.column_stack([labels.astype(np.uint8), pixels])
    (folder / f"{name}.bin").write_bytes(records.tobytes())


def _write_pickle(folder, name, content):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(pickle.dumps(content, protocol=2))


def _expect(split, *parts):
    pixels = np.concatenate([pixels for pixels, _ in parts]).reshape(-1, 3, 32, 32)
    labels = np.concatenate([labels for _, labels in parts])
    np.testing.assert_array_equal(split.inputs.numpy(), pixels)
    assert split.targets.tolist() == labels.tolist()
    assert split.inputs.dtype == torch.uint8 and split.targets.dtype == torch.int64


@pytest.mark.parametrize("deep", [True, False])
def test_the_binary_version_is_read_in_order(tmp_path, deep):
    folder = tmp_path / "cifar-10-batches-bin"
    one, two, test = _records(1, 5), _records(2, 3), _records(3, 4)
    _write_binary(folder, "data_batch_2", *two)
    _write_binary(folder, "data_batch_1", *one)
    _write_binary(folder, "test_batch", *test)
    cifar = load_cifar10(folder if deep else tmp_path)
    _expect(cifar.train, one, two)
    _expect(cifar.held_out, test)
    assert cifar.classes[3] == "cat"


def test_the_python_version_is_read_as_torchvision_unpacks_it(tmp_path):
    folder = tmp_path / "cifar-10-batches-py"
    one, test = _records(1, 5), _records(3, 4)
    for name, (pixels, labels) in (("data_batch_1", one), ("test_batch", test)):
        content = {b"data": pixels, b"labels": labels.tolist(), b"batch_label": b"x"}
        _write_pickle(folder, name, content)
    cifar = load_cifar10(tmp_path)
    _expect(cifar.train, one)
    _expect(cifar.held_out, test)


def test_the_names_of_numpy_1_are_known_too(tmp_path):
    pixels, labels = _records(1, 2)
    content = pickle.dumps({b"data": pixels, b"labels": labels.tolist()}, protocol=2)
    old = content.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    assert old != content
    for name in ("data_batch_1", "test_batch"):
        (tmp_path / name).write_bytes(old)
    _expect(load_cifar10(tmp_path).train, (pixels, labels))


class _Harmful:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_a_pickle_that_would_run_code_is_refused_and_does_not_run(tmp_path):
    _write_pickle(tmp_path, "data_batch_1", {b"data": _Harmful(str(tmp_path / "harm"))})
    with pytest.raises(DataUnavailableError, match="mkdir"):
        load_cifar10(tmp_path)
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({b"data": np.zeros((2, 3072), np.uint8)}, "not a pickle of CIFAR-10"),
        ({b"data": np.zeros((2, 3072)), b"labels": [0, 1]}, "float64"),
        ({b"data": np.zeros((2, 100), np.uint8), b"labels": [0, 1]}, r"\(2, 100\)"),
        ({b"data": np.zeros((2, 3072), np.uint8), b"labels": [0]}, "for 2 pictures"),
        ({b"data": np.zeros((2, 3072), np.uint8), b"labels": [0, 57]}, "CIFAR-100"),
    ],
)
def test_what_is_not_cifar_10_is_told(tmp_path, content, told):
    _write_pickle(tmp_path, "data_batch_1", content)
    with pytest.raises(DataUnavailableError, match=told):
        load_cifar10(tmp_path)


def test_a_cut_off_file_a_missing_one_and_none_are_told(tmp_path):
    with pytest.raises(DataUnavailableError, match="no files of CIFAR-10"):
        load_cifar10(tmp_path)
    _write_binary(tmp_path, "data_batch_1", *_records(1, 3))
    with pytest.raises(DataUnavailableError, match=r"test_batch\.bin is missing"):
        load_cifar10(tmp_path)
    (tmp_path / "data_batch_1.bin").write_bytes(bytes(3073 * 2 - 1))
    with pytest.raises(DataUnavailableError, match="no whole number of records"):
        load_cifar10(tmp_path)
