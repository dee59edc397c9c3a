"""Exercises of the lessons on cooperation: how threads share work and memory without harm."""
