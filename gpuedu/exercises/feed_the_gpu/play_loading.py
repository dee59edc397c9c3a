"""Plays of the lesson feed-the-gpu on what a busy GPU is, and on loading: the first half."""

from __future__ import annotations
