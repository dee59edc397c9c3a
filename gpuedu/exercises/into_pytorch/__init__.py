"""How a kernel becomes an operator of PyTorch, and what a compiler or a graph does in its place."""
