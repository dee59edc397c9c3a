# loses: worst
# asks: One of these: kernels, copies, launches, python.
worst = {"A": "pinned memory", "B": "fused", "C": "workers"}
