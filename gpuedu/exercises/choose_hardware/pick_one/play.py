"""pick-one: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "hours(flop, devices, flop_per_s, overhead)",
    "pick(job, offers) -> text",
    "share_to_buy(price, years, power_w, price_per_kwh, rent_per_hour) -> float or math.inf",
)
