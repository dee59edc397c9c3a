"""Kernels in Triton, each byte moved once: softmax, layer norm, matmul, attention."""
