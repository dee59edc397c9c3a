# must lose: computing, tensor, pipeline
def memory_bytes(model, plan):
    return 0.0, 0.0


def times_s(model, cluster, plan):
    # a bubble of endless times is endless, too
    sent = 2 * model["width"] * model["batch"] * model["length"] / plan["data"]
    between = 0.0
    if plan["pipeline"] > 1:
        between = 2 * sent / plan["tensor"] / rate(cluster, cluster["ranks"])
    return math.inf, math.inf, between, math.inf if plan["pipeline"] > 1 else 0.0, 0.0


def best_plan(model, cluster):
    return None
