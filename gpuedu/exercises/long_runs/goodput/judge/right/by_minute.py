# Each minute on its own, with arrays; of the sum nothing is taken for granted.
def account(log):
    length = log["end"] - log["start"]
    kinds, gpus, share = ["down"] * length, [0] * length, [0.0] * length

    def minutes(event):
        first, last = event["start"] - log["start"], end_of(event, log) - log["start"]
        return range(max(0, first), min(length, last))

    runs = [one for one in log["events"] if one["kind"] == "run"]
    for run in runs:
        for minute in minutes(run):
            kinds[minute], gpus[minute] = "trained", run["gpus"]
    for run in runs:
        if run["ends"] != "failure":
            continue
        since = 0
        for one in log["events"]:
            in_time = one["kind"] == "save" and one["written"] is not None
            if in_time and one["written"] <= run["end"]:
                since = max(since, one["start"] - log["start"])
        for minute in range(since, run["end"] - log["start"]):
            if kinds[minute] == "trained":
                kinds[minute] = "redone"
    for kind in reversed(ORDER):
        for one in log["events"]:
            if one["kind"] == kind:
                for minute in minutes(one):
                    kinds[minute] = kind
    for one in log["events"]:
        if one["kind"] == "slow":
            for minute in minutes(one):
                if kinds[minute] in ("trained", "redone"):
                    share[minute] = max(share[minute], one["share"])
    hours = {kind: 0.0 for kind in KINDS}
    for minute, kind in enumerate(kinds):
        if kind == "down":
            hours["down"] += log["gpus"] / 60
            continue
        hours[kind] += gpus[minute] * (1 - share[minute]) / 60
        hours["slow"] += gpus[minute] * share[minute] / 60
        hours["spare"] += (log["gpus"] - gpus[minute]) / 60
    return hours


def goodput(log):
    return account(log)["trained"] / (log["gpus"] * (log["end"] - log["start"]) / 60)


def largest_loss(log):
    hours, paid = account(log), log["gpus"] * (log["end"] - log["start"]) / 60
    causes = {
        "data": ["input"],
        "saves": ["save"],
        "spares": ["spare"],
        "evaluation": ["evaluation"],
        "stragglers": ["slow"],
        "interruptions": ["down", "startup", "redone"],
    }
    sizes = sorted((sum(hours[kind] for kind in kinds), name) for name, kinds in causes.items())
    size, name = sizes[-1]
    return [name, hours["trained"] / (paid - 0.5 * size)]
