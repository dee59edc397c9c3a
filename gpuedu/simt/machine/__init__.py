"""The machine: generated NumPy code over all threads of a chunk of blocks, and its account."""
