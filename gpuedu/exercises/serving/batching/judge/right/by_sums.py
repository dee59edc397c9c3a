# Running totals, and NumPy.
import itertools

import numpy as np


def admit(waiting, running, free_tokens):
    promised = sum(text["limit"] - text["made"] for text in running)
    totals = itertools.accumulate(text["prompt"] + text["limit"] for text in waiting)
    count = sum(total <= free_tokens - promised for total in totals)
    return [text["id"] for text in waiting[:count]]


def percentile(values, percent):
    return float(np.percentile(values, percent, method="inverted_cdf"))


def metrics(log):
    arrival = np.array([text["arrival"] for text in log])
    first = np.array([text["tokens"][0] for text in log])
    last = np.array([text["tokens"][-1] for text in log])
    count = np.array([len(text["tokens"]) for text in log])
    more = count > 1
    ttft, tpot = first - arrival, (last - first)[more] / (count - 1)[more]
    rate = len(log) / (last.max() - arrival.min())
    return {
        "tokens_per_s": 1e3 * count.sum() / (last.max() - arrival.min()),
        "in_server": rate * (last - arrival).mean(),
        **{f"ttft_p{p}": percentile(ttft, p) for p in (50, 99)},
        **{f"tpot_p{p}": percentile(tpot, p) for p in (50, 99)},
    }
