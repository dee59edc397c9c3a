# loses: placed
# one is missing
limits = {
    "saxpy": "device memory",
    "speed-of-rows": "device memory",
    "sum-of-rows": "L1",
    "power-series": "arithmetic",
    "matmul-by-columns": "L1",
    "matmul-naive": "L1",
    "matmul-tiled": "L1",
}
