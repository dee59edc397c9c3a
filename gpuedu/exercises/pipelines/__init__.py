"""Pipelines of stages, plans for a cluster, and experts on other ranks."""
