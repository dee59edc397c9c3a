# loses: placed
# asks: How are the three names written?
limits = dict.fromkeys(counts, "Device Memory")
