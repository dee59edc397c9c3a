"""Tensor parallelism: layers whose matrices, heads, vocabulary or tokens are split over ranks."""
