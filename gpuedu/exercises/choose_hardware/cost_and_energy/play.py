"""cost-and-energy: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "run_cost(steps, step_s, devices, power_w, pue, price_per_hour, g_per_kwh) -> "
    "hours, kWh, money, kg",
    "per_million(price_per_hour, tokens_per_s)",
    "energy_j(readings, wraps_at)",
    "joules_each(energy, idle_w, time_s, results)",
)
