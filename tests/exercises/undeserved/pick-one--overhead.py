# must lose: scaling
def hours(flop, devices, flop_per_s, overhead):
    return flop * (1 + 0.02 * (devices - 1)) / (devices * flop_per_s) / 3600


def pick(job, offers):
    return "x"


def share_to_buy(price, years, power_w, price_per_kwh, rent_per_hour):
    return 0.0
