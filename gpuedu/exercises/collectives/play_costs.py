"""Plays of the lesson collectives on what they cost: a link from times, schedules, a choice."""

from __future__ import annotations

LINK = ("alpha_s", "bytes_per_s")
