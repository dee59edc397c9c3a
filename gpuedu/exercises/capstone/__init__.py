"""Whole training programs, slow for many reasons, to be made fast."""
