"""check-the-claim: numbers of a class or a learner of its own."""

from __future__ import annotations

from functools import partial

import numpy as np

from gpuedu.exercises.variants import Variant
from gpuedu.exercises.why_gpus.check_the_claim.claims import KEYS
from gpuedu.exercises.why_gpus.check_the_claim.facts_page import facts_text
from gpuedu.exercises.why_gpus.check_the_claim.judge import judge_of, truths_of
from gpuedu.exercises.why_gpus.check_the_claim.judge.drawn_claims import draw_page


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


VARIANT = other_claims
