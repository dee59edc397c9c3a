import dataclasses
import json

import numpy as np
import pytest

from gpuedu.trace import Trace
from gpuedu.trace.storage import FORMAT, VERSION, TraceFileError, load, save
from tests.trace import samples

MADE = {
    "strided": samples.strided,
    "racing": samples.racing,
    "transpose": samples.transpose,
    "block sum": samples.block_sum,
}


def is_same(a, b):
    """Equal in value, type and dtype, down to every array."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if dataclasses.is_dataclass(a):
        own = [getattr(a, f.name) for f in dataclasses.fields(a)]
        return type(a) is type(b) and is_same(
            own, [getattr(b, f.name) for f in dataclasses.fields(b)]
        )
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(is_same, a, b))
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("name", MADE)
def test_what_was_saved_is_loaded(name, tmp_path):
    trace = MADE[name]()
    path = save(trace, tmp_path / "launch.npz")
    assert is_same(trace, load(path))
    assert [entry.name for entry in tmp_path.iterdir()] == ["launch.npz"]


def test_a_name_without_ending_is_kept(tmp_path):
    save(samples.strided(), tmp_path / "launch")
    assert [entry.name for entry in tmp_path.iterdir()] == ["launch"]


def test_many_sites_do_not_mean_many_members(tmp_path):
    path = save(samples.block_sum(), tmp_path / "t.npz")
    with np.load(path) as archive:
        assert len(archive.files) <= 4


def rewrite(path, change):
    """Change a saved trace's header."""
    with np.load(path) as archive:
        members = {name: archive[name] for name in archive.files}
    header = json.loads(members["header"].tobytes())
    change(header)
    members["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **members)


def test_a_newer_version_is_told(tmp_path):
    path = save(samples.strided(), tmp_path / "t.npz")
    rewrite(path, lambda header: header.update(version=VERSION + 1))
    with pytest.raises(TraceFileError, match=rf"version {VERSION + 1}.*update gpuedu"):
        load(path)


BROKEN = {
    "another format": lambda h: h.update(format="photo"),
    "no version": lambda h: h.pop("version"),
    "unknown field": lambda h: h["trace"].update(colour="red"),
    "missing field": lambda h: h["trace"].pop("sites"),
    "wrong type": lambda h: h["trace"].update(complete="perhaps"),
    "wrong space": lambda h: h["trace"]["sites"][0].update(space="attic"),
    "other launch": lambda h: h["trace"]["launch"].update(grid=[7, 1, 1]),
    "array beyond": lambda h: h["trace"]["sites"][0]["sectors"].update(begin=10**6),
    "no such site": lambda h: h["trace"].update(sites=h["trace"]["sites"][:1]),
    "a list": lambda h: h.update(trace=[1, 2]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_damaged_header_is_told(name, tmp_path):
    path = save(samples.strided(), tmp_path / "t.npz")
    rewrite(path, BROKEN[name])
    with pytest.raises(TraceFileError, match="no trace or is damaged"):
        load(path)


@pytest.mark.parametrize("kept", [0, 1, 30, 300, -1, -40])
def test_a_file_cut_short_is_told(kept, tmp_path):
    path = save(samples.strided(), tmp_path / "t.npz")
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    with pytest.raises(TraceFileError, match=r"t\.npz is no trace or is damaged"):
        load(path)


def test_bytes_that_changed_are_told(tmp_path):
    path = save(samples.transpose(), tmp_path / "t.npz")
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    path.write_bytes(bytes(whole))
    with pytest.raises(TraceFileError):
        load(path)


def test_pickled_arrays_are_refused(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, header=np.array([{"format": FORMAT}], dtype=object))
    with pytest.raises(TraceFileError):
        load(path)


def test_a_missing_file_says_how_to_make_one(tmp_path):
    with pytest.raises(TraceFileError, match=r"no trace at .*save\(trace, path\)"):
        load(tmp_path / "none.npz")


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = save(samples.strided(), tmp_path / "t.npz")
    before = path.read_bytes()
    broken = dataclasses.replace(samples.strided(), watched=(object(),))
    with pytest.raises(TypeError):
        save(broken, path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_numbers_from_numpy_become_plain(tmp_path):
    trace = dataclasses.replace(samples.strided(), watched=(np.int32(0),))
    loaded = load(save(trace, tmp_path / "t.npz"))
    assert isinstance(loaded, Trace) and type(loaded.watched[0]) is int
