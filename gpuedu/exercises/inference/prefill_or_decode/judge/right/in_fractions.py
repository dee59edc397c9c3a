# The pairs as a sum, and the times as fractions.
from fractions import Fraction


def pass_flop(model, texts, cached, new):
    pairs = sum(range(cached + 1, cached + new + 1))
    weights = model["parameters"] * new
    return 2 * texts * (weights + 2 * model["layers"] * model["width"] * pairs)


def seconds(amount, device, rate):
    return Fraction(amount) / Fraction(device[rate])


def limit(flop, moved_bytes, device):
    computing = seconds(flop, device, "flop_per_s")
    return "memory" if computing < seconds(moved_bytes, device, "bytes_per_s") else "arithmetic"


def enough_texts(flop, text_bytes, weight_bytes, device):
    behind = seconds(weight_bytes, device, "bytes_per_s")
    gain = seconds(flop, device, "flop_per_s") - seconds(text_bytes, device, "bytes_per_s")
    return math.ceil(behind / gain) if gain > 0 else math.inf
