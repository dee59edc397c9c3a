"""Exercises of the lesson cooperation: how threads share work and memory without harm."""
