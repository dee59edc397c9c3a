# loses: placed
# a matmul is arithmetic
limits = {
    "saxpy": "device memory",
    "speed-of-rows": "device memory",
    "sum-of-rows": "L1",
    "stencil": "L1",
    "power-series": "arithmetic",
    "matmul-by-columns": "arithmetic",
    "matmul-naive": "arithmetic",
    "matmul-tiled": "arithmetic",
}
