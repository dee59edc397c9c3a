"""prefill-or-decode: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "pass_flop(model, texts, cached, new) -> int",
    "pass_bytes(model, texts, cached, new) -> int",
    "limit(flop, moved_bytes, device) -> text",
    "enough_texts(flop, text_bytes, weight_bytes, device) -> int or math.inf",
)
