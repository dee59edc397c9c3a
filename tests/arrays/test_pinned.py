from __future__ import annotations

import numpy as np

from gpuedu.arrays import cupy as cp


def test_page_locked_memory_is_host_memory():
    memory = cp.cuda.alloc_pinned_memory(16)
    host = np.frombuffer(memory, np.float32, 4)
    host[...] = [1, 2, 3, 4]
    array = cp.empty(4, np.float32)
    array.set(host)
    assert array.get().tolist() == [1, 2, 3, 4]


def test_its_pool_keeps_nothing():
    pool = cp.get_default_pinned_memory_pool()
    assert isinstance(pool, cp.cuda.PinnedMemoryPool)
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0 and len(pool.malloc(7)) == 7
