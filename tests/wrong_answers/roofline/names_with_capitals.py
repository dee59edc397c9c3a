# loses: placed
# names of its own
limits = {name: "Device Memory" for name in counts}
