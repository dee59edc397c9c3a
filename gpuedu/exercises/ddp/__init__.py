"""Data parallelism: one model on many ranks, each with its share of every batch."""
