"""What can be drawn anew in the lesson on why there are GPUs."""

from __future__ import annotations

from functools import partial

import numpy as np

from gpuedu.exercises.variants import Variant
from gpuedu.exercises.why_gpus.claims import KEYS
from gpuedu.exercises.why_gpus.drawn_claims import draw_page
from gpuedu.exercises.why_gpus.judge.check_the_claim import judge_of, truths_of
from gpuedu.exercises.why_gpus.texts import facts_text


def other_claims(rng: np.random.Generator) -> Variant:
    """Other GPUs, models and counts under the same six claims."""
    page = draw_page(rng)
    renamed = zip(KEYS, page.keys, strict=True)
    return Variant(
        judge_of(page),
        edits=tuple((f'"{old}"', f'"{new}"') for old, new in renamed if old != new),
        values=("corrected", {key: truth.value for key, truth in truths_of(page).items()}),
        pictures={"why-gpus/facts": partial(facts_text, page=page)},
    )


VARIANTS = {"check-the-claim": other_claims}
