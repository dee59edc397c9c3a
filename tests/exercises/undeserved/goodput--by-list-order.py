# must lose: redone
def account(log):
    spans = [(one["start"], end_of(one, log), one) for one in log["events"]]
    lost = []
    for _, end, run in spans:
        if run["kind"] == "run" and run["ends"] == "failure":
            safe = [
                one["start"]
                for one in log["events"]
                if one["kind"] == "save" and one["written"] and one["written"] <= end
            ]
            lost.append((safe[-1] if safe else log["start"], end))
    times = {log["start"], log["end"], *(time for span in spans for time in span[:2])}
    cuts = sorted(time for time in times if log["start"] <= time <= log["end"])
    hours = dict.fromkeys(KINDS, 0.0)
    for left, right in itertools.pairwise(cuts):
        now = [one for start, end, one in spans if start <= left and right <= end]
        used = sum(one["gpus"] for one in now if one["kind"] == "run") * (right - left) / 60
        hours["spare" if used else "down"] += log["gpus"] * (right - left) / 60 - used
        stops = [kind for kind in ORDER if any(one["kind"] == kind for one in now)]
        slow = [one["share"] for one in now if one["kind"] == "slow" and not stops]
        hours["slow"] += used * max(slow, default=0)
        is_lost = any(start <= left and right <= end for start, end in lost)
        kind = stops[0] if stops else "redone" if is_lost else "trained"
        hours[kind] += used * (1 - max(slow, default=0))
    return hours


def goodput(log):
    hours = account(log)
    return hours["trained"] / sum(hours.values())


def largest_loss(log):
    """Its cause, and the goodput if it were halved."""
    hours = account(log)
    lost = {
        "interruptions": hours["redone"] + hours["startup"] + hours["down"],
        "stragglers": hours["slow"],
        "data": hours["input"],
        "evaluation": hours["evaluation"],
        "saves": hours["save"],
        "spares": hours["spare"],
    }
    cause = max(lost, key=lost.get)
    return cause, hours["trained"] / (sum(hours.values()) - lost[cause] / 2)
