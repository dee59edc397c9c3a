# must lose: fastest
def memory_bytes(model, plan):
    data, tensor, pipeline = plan["data"], plan["tensor"], plan["pipeline"]
    own = model["parameters"] / (tensor * pipeline)
    parameters = 0
    for size, shared_from in ((12, 1), (2, 2), (2, 3)):
        parameters += size * own / (data if plan["zero"] >= shared_from else 1)
    tokens = model["batch"] * model["length"] / (data * plan["micro_batches"])
    layer = 34 * model["width"] * tokens / tensor
    in_flight = min(pipeline, plan["micro_batches"])
    return parameters, layer * model["layers"] / pipeline * in_flight


def times_s(model, cluster, plan):
    data, tensor, pipeline = plan["data"], plan["tensor"], plan["pipeline"]
    micro_batches, ranks = plan["micro_batches"], cluster["ranks"]
    tokens = model["batch"] * model["length"]
    computing = 6 * model["parameters"] * tokens / (ranks * cluster["flop_per_s"])
    sent = 2 * model["width"] * tokens / data
    each = 2 * (tensor - 1) / tensor * sent / rate(cluster, tensor)
    reduces = 4 * model["layers"] / pipeline * each
    between = 2 * sent / tensor / rate(cluster, ranks) if pipeline > 1 else 0
    bubble = (pipeline - 1) / micro_batches * (computing + reduces + between)
    own = 2 * model["parameters"] / (tensor * pipeline)
    half = (data - 1) / data * own / rate(cluster, data * tensor)
    halves = (2, 2, 1 + micro_batches, 3 * micro_batches)[plan["zero"]]
    return computing, reduces, between, bubble, halves * half


def best_plan(model, cluster):
    best, best_s = None, math.inf
    pow2 = [2**i for i in range(12)]
    for tensor, pipeline in itertools.product(
        [d for d in divisors(model["heads"]) if d in pow2], divisors(model["layers"])
    ):
        data, rest = divmod(cluster["ranks"], tensor * pipeline)
        if rest or model["batch"] % data:
            continue
        for micro_batches, zero in itertools.product(divisors(model["batch"] // data), range(4)):
            plan = {"data": data, "tensor": tensor, "pipeline": pipeline}
            plan |= {"micro_batches": micro_batches, "zero": zero}
            took_s = sum(times_s(model, cluster, plan))
            if sum(memory_bytes(model, plan)) <= cluster["memory_bytes"] and took_s < best_s:
                best, best_s = plan, took_s
    return best
