# Seconds and joules first, other units at the end.
def run_cost(steps, step_s, devices, power_w, pue, price_per_hour, g_per_kwh):
    time_s = steps * step_s
    device_s = time_s * devices
    joules = device_s * power_w * pue
    kwh = joules / 3.6e6
    return [time_s / 3600, kwh, device_s / 3600 * price_per_hour, kwh / 1000 * g_per_kwh]


def per_million(price_per_hour, tokens_per_s):
    hours = 1_000_000 / tokens_per_s / 3600
    return hours * price_per_hour


def energy_j(readings, wraps_at):
    wraps = sum(after < before for before, after in zip(readings[:-1], readings[1:]))
    return (readings[-1] - readings[0] + wraps * wraps_at) * 1e-6


def joules_each(energy, idle_w, time_s, results):
    return (energy / time_s - idle_w) / (results / time_s)
