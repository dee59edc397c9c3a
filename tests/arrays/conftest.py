from __future__ import annotations

import pytest

from gpuedu.arrays.account import reset_operations
from gpuedu.arrays.memory import MemoryPool, using_allocator
from gpuedu.simt.host.transfers import reset_transfers


@pytest.fixture(autouse=True)
def _new_accounts():
    reset_operations()
    reset_transfers()


@pytest.fixture
def pool():
    found = MemoryPool()
    with using_allocator(found.malloc):
        yield found
