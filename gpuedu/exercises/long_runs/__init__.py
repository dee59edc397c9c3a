"""Runs of weeks: when to save, where the hours go, and what to watch."""
