# loses: placed
limits = dict.fromkeys(counts, "device memory")
