"""The exercise prefill-or-decode."""
