"""PyTorch operations that may be carried out for somebody who is not trusted.

- ``allowed``: which;
- ``bounds``: what is asked of their operands before.
"""
