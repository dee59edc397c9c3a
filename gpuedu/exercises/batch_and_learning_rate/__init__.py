"""The lesson batch-and-learning-rate: what fits, what is fast, and what still learns."""
