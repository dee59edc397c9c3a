"""The lesson tiling: how a matmul uses each byte more than once."""
