"""Plays of the lesson collectives on who waits for whom, and on ranks in nodes."""

from __future__ import annotations
