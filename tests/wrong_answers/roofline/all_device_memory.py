# loses: placed
# all wait for device memory
limits = {
    "saxpy": "device memory",
    "speed-of-rows": "device memory",
    "sum-of-rows": "device memory",
    "stencil": "device memory",
    "power-series": "device memory",
    "matmul-by-columns": "device memory",
    "matmul-naive": "device memory",
    "matmul-tiled": "device memory",
}
