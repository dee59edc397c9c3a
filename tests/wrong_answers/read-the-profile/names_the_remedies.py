# loses: worst


worst = {"A": "pinned memory", "B": "fused", "C": "workers"}
