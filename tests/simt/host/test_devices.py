from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.host import cuda


def test_the_device_states_what_it_is():
    device = cuda.get_current_device()
    assert "SIMT machine" in device.name and "9.0" in device.name
    assert device.compute_capability == (9, 0)
    assert (device.WARP_SIZE, device.MAX_THREADS_PER_BLOCK, device.MULTIPROCESSOR_COUNT) == (
        32,
        1024,
        132,
    )
    assert device.MAX_SHARED_MEMORY_PER_BLOCK == 49152


def test_what_it_has_not_is_told_with_what_it_has():
    with pytest.raises(AttributeError, match=r"CLOCK_RATE.*WARP_SIZE"):
        _ = cuda.get_current_device().CLOCK_RATE


def test_there_is_one_device():
    assert len(cuda.gpus) == len(list(cuda.list_devices())) == 1
    assert cuda.gpus[0].device is cuda.select_device(0) is cuda.current_context().device
    with cuda.gpus[0] as context, context:
        assert context is cuda.current_context(0)
    with pytest.raises(IndexError, match="device 1"):
        cuda.select_device(1)
    with pytest.raises(IndexError):
        cuda.gpus[1]
    assert cuda.is_available() and cuda.cuda_error() is None


def test_memory_is_accounted(capsys):
    before = cuda.current_context().get_memory_info()
    array = cuda.device_array(1 << 20, np.uint8)
    after = cuda.current_context().get_memory_info()
    assert before.free - after.free >= array.nbytes and before.total == after.total
    assert cuda.detect() and "stated" in capsys.readouterr().out


def test_blocks_that_change_nothing():
    cuda.profile_start()
    cuda.profile_stop()
    with cuda.defer_cleanup(), cuda.profiling():
        cuda.close()
    assert "float32" in repr(cuda.float32) and "int8" in repr(cuda.types.int8)
    with pytest.raises(NotImplementedError, match="compile_ptx"):
        _ = cuda.compile_ptx
    with pytest.raises(AttributeError, match="nonsense"):
        _ = cuda.nonsense
