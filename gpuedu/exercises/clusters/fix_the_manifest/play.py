"""fix-the-manifest: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.documents import document_play

PLAY = document_play("job", "pod", "container")
