"""Grading that can be trusted: submissions are data, verdicts come from a separate process."""
