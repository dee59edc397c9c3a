# All that may be held in the end, from the front of a queue.
def admit(waiting, running, free_tokens):
    held = sum(text["prompt"] + text["made"] for text in running)
    memory = held + free_tokens
    batch = [text["prompt"] + text["limit"] for text in running]
    started = []
    queue = list(waiting)
    while queue and sum(batch) + queue[0]["prompt"] + queue[0]["limit"] <= memory:
        text = queue.pop(0)
        batch.append(text["prompt"] + text["limit"])
        started.append(text["id"])
    return started


def percentile(values, percent):
    for value in sorted(values):
        if 100 * sum(one <= value for one in values) >= percent * len(values):
            return value
