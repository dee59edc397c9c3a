# All choices in the order of the rules, and the first that meets the conditions.
import math


def hours(flop, devices, flop_per_s, overhead):
    alone_s = flop / flop_per_s
    return alone_s / devices * (1 + overhead * (devices - 1)) / 3600


def _price(job, offer, devices):
    time_h = hours(job["flop"], devices, offer["flop_per_s"], job["overhead"])
    return round(time_h * devices * offer["price_per_hour"], 6)


def pick(job, offers):
    everything = [(offer, n) for offer in offers for n in range(1, offer["most"] + 1)]
    for offer, n in sorted(everything, key=lambda one: (_price(job, *one), one[1])):
        in_time = hours(job["flop"], n, offer["flop_per_s"], job["overhead"]) <= job["deadline_h"]
        room = 0.9 * offer["memory_bytes"] - job["own_bytes"] - job["shared_bytes"] / n
        if in_time and room >= 0 and _price(job, offer, n) <= job["budget"]:
            return f"{n} x {offer['name']}"
    return ""


def share_to_buy(price, years, power_w, price_per_kwh, rent_per_hour):
    all_hours = years * 365 * 24
    rented = all_hours * rent_per_hour
    electricity = all_hours * power_w * price_per_kwh / 1000
    if price + electricity > rented:
        return math.inf
    return price / (rented - electricity)
