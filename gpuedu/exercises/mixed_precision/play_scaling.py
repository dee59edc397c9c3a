"""Plays of the recipes: a loss scaler, what autocast runs in which dtype, training in 16 bits."""

from __future__ import annotations

LIMIT_S = 30.0
"""PyTorch's optimisers import its compiler on their first use, which takes seconds."""
