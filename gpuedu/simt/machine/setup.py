"""A machine made ready for a chunk of blocks: shared, local and constant memory."""

from __future__ import annotations

import numpy as np

from gpuedu.simt import arguments as args
from gpuedu.simt.host.buffers import DeviceView
from gpuedu.simt.machine.account import Account
from gpuedu.simt.machine.cells import Cells, garbage
from gpuedu.simt.machine.chunk import Dim3
from gpuedu.simt.machine.findings import Findings
from gpuedu.simt.machine.machine import Budget, Machine
from gpuedu.simt.machine.traced import TracedMachine
from gpuedu.simt.machine.views import Allocation, Flat, View, contiguous
from gpuedu.simt.program import ConstantArray, Program, SharedArray
from gpuedu.trace import Space


def shared_bytes(program: Program) -> int:
    """Bytes of static shared memory, each array aligned to its element or as asked."""
    total = 0
    for array in program.shared:
        if not array.dynamic:
            align = max(array.alignment, _alignment(array))
            total = -(-total // align) * align + _bytes(array)
    return total


def _alignment(array: SharedArray) -> int:
    return (
        array.slot.type.dtype.alignment
        if array.slot.type.dtype.names
        else array.slot.type.dtype.itemsize
    )


def _bytes(array: SharedArray) -> int:
    return int(np.prod(array.shape)) * array.slot.type.dtype.itemsize


def ready_machine(
    program: Program,
    grid: Dim3,
    block: Dim3,
    blocks: np.ndarray,
    dynamic: int,
    report: Findings,
    budget: Budget,
    account: Account | None,
) -> Machine:
    """The machine for these blocks, traced if there is an account."""
    if account is None:
        machine = Machine(program, grid, block, blocks, report, budget)
    else:
        machine = TracedMachine(program, grid, block, blocks, report, budget, account)
    machine.shared = _shared_views(program, len(blocks), dynamic)
    machine.local = [
        View(
            entry.slot.name.rpartition("_")[0],
            Cells(int(np.prod(entry.shape)), entry.slot.type.dtype, machine.shape),
            np.int64(0),
            tuple(map(np.int64, entry.shape)),
            contiguous(entry.shape),
            entry.slot.type.dtype,
            Space.LOCAL,
        )
        for entry in program.local
    ]
    machine.fixed = [
        _constant_view(number, entry) for number, entry in enumerate(program.constants)
    ]
    return machine


def _shared_views(program: Program, blocks: int, dynamic: int) -> list[View]:
    """Shared memory of a chunk, one row for each block, full of garbage."""
    views, offset = [], 0
    pool: np.ndarray | None = None
    unit = min((e.slot.type.dtype.itemsize for e in program.shared if e.dynamic), default=1)
    for number, entry in enumerate(program.shared):
        dtype = entry.slot.type.dtype
        name = entry.slot.name.rpartition("_")[0]
        if entry.dynamic:
            if pool is None:
                pool = np.full((blocks, -(-dynamic // 16) * 16), 0xCD, np.uint8)
            count = dynamic // dtype.itemsize
            data = pool[:, : pool.shape[1] // dtype.itemsize * dtype.itemsize].view(dtype)
            if pool.shape[1] % dtype.itemsize == 0:
                data = pool.view(dtype)
            allocation = Allocation(1000, Space.SHARED, dynamic, unit, 0)
            shape: tuple[int, ...] = (count,)
        else:
            align = max(entry.alignment, _alignment(entry))
            offset = -(-offset // align) * align
            size = int(np.prod(entry.shape))
            data = np.full((blocks, size), garbage(dtype), dtype)
            allocation = Allocation(
                1001 + number, Space.SHARED, size * dtype.itemsize, args.unit_of(dtype), offset
            )
            offset += size * dtype.itemsize
            shape = entry.shape
        flat = Flat(data, allocation, 0, dtype.itemsize)
        views.append(
            View(
                name,
                flat,
                np.int64(0),
                tuple(map(np.int64, shape)),
                contiguous(shape),
                dtype,
                Space.SHARED,
            )
        )
    return views


def _constant_view(number: int, entry: ConstantArray) -> View:
    name = entry.slot.name.rpartition("_")[0]
    if isinstance(entry.data, DeviceView):
        size = entry.data.buffer.data.size
        memory = Allocation(3000 + number, Space.GLOBAL, size, args.unit_of(entry.data.dtype))
        return args.global_view(name, entry.data, memory)
    data = np.ascontiguousarray(entry.data)
    allocation = Allocation(2000 + number, Space.CONSTANT, data.nbytes, data.dtype.itemsize, 0)
    flat = Flat(data.reshape(-1), allocation, 0, data.dtype.itemsize)
    return View(
        entry.slot.name.rpartition("_")[0],
        flat,
        np.int64(0),
        tuple(map(np.int64, data.shape)),
        contiguous(data.shape),
        data.dtype,
        Space.CONSTANT,
    )
