# loses: placed
# the limits of a T4
limits = {
    "saxpy": "device memory",
    "speed-of-rows": "device memory",
    "sum-of-rows": "device memory",
    "stencil": "device memory",
    "power-series": "arithmetic",
    "matmul-by-columns": "L1",
    "matmul-naive": "L1",
    "matmul-tiled": "L1",
}
