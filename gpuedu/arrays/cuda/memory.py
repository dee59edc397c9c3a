"""``cp.cuda.memory``: allocations, pools, and the error for too little memory."""

from gpuedu.arrays.errors import OutOfMemoryError
from gpuedu.arrays.memory import (
    Memory,
    MemoryPointer,
    MemoryPool,
    get_allocator,
    set_allocator,
    using_allocator,
)
from gpuedu.arrays.memory import allocate as alloc

__all__ = [
    "Memory",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "alloc",
    "get_allocator",
    "set_allocator",
    "using_allocator",
]
