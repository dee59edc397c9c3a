# must lose: never
def hours(flop, devices, flop_per_s, overhead):
    speedup = devices / (1 + overhead * (devices - 1))
    return flop / (speedup * flop_per_s) / 3600


def pick(job, offers):
    found = []
    for place, offer in enumerate(offers):
        for devices in range(1, offer["most"] + 1):
            needed = job["own_bytes"] + job["shared_bytes"] / devices
            time_h = hours(job["flop"], devices, offer["flop_per_s"], job["overhead"])
            price = devices * time_h * offer["price_per_hour"]
            if needed > 0.9 * offer["memory_bytes"]:
                continue
            if time_h <= job["deadline_h"] and price <= job["budget"]:
                found.append((round(price, 6), devices, place))
    if not found:
        return ""
    _, devices, place = min(found)
    return f"{devices} x {offers[place]['name']}"


def share_to_buy(price, years, power_w, price_per_kwh, rent_per_hour):
    saved = rent_per_hour - power_w / 1000 * price_per_kwh
    share = price / (saved * years * 8760) if saved else math.inf
    return share if 0 <= share <= 1 else math.inf
