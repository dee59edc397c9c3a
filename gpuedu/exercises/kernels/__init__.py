"""What exercises about kernels share: run a learner's kernel, and tell what the machine saw."""
