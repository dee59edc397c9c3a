"""Trainer, Accelerate and datasets, held against loops of one's own."""
