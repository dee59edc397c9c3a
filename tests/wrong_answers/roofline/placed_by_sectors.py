# loses: placed
# by 32 bytes a sector, the stencil waits for device memory
limits = {
    "saxpy": "device memory",
    "speed-of-rows": "device memory",
    "sum-of-rows": "L1",
    "stencil": "device memory",
    "power-series": "arithmetic",
    "matmul-by-columns": "L1",
    "matmul-naive": "L1",
    "matmul-tiled": "L1",
}
