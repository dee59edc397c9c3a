# Pieces by number in a set of times; the rest of each piece comes last.
def account(log):
    def end(one):
        if one["end"] is None:
            runs = [run for run in log["events"] if run["kind"] == "run"]
            mine = [run for run in runs if run["start"] <= one["start"]]
            after = mine[-1]["end"]
            return log["end"] if after is None else after
        return one["end"]

    edges = {log["start"], log["end"]}
    for one in log["events"]:
        edges |= {max(one["start"], log["start"]), min(max(end(one), log["start"]), log["end"])}
    edges = sorted(edges)
    total = dict(trained=0, redone=0, slow=0, input=0, evaluation=0, save=0, startup=0)
    total |= dict(down=0, spare=0)
    for place in range(len(edges) - 1):
        begin, stop = edges[place], edges[place + 1]
        there = {}
        for one in log["events"]:
            if one["start"] < stop and end(one) > begin:
                there.setdefault(one["kind"], []).append(one)
        left = log["gpus"] * (stop - begin) / 60
        if "run" not in there:
            total["down"] += left
            continue
        work = there["run"][0]["gpus"] * (stop - begin) / 60
        total["spare"] += left - work
        first = next((kind for kind in ORDER if kind in there), None)
        if first is not None:
            total[first] += work
            continue
        waits = work * max([one["share"] for one in there.get("slow", [])] + [0])
        total["slow"] += waits
        failed = False
        for run in log["events"]:
            if run["kind"] == "run" and run["ends"] == "failure" and run["end"] >= stop:
                safe = log["start"]
                for save in log["events"]:
                    if save["kind"] == "save" and (save["written"] or math.inf) <= run["end"]:
                        safe = max(safe, save["start"])
                failed = failed or begin >= safe
        total["redone" if failed else "trained"] += work - waits
    return total


def goodput(log):
    hours = account(log)
    return 1 - sum(value for kind, value in hours.items() if kind != "trained") / sum(
        hours.values()
    )


def largest_loss(log):
    hours = account(log)
    paid = sum(hours.values())
    best = ("interruptions", hours["redone"] + hours["startup"] + hours["down"])
    for cause, kind in (
        ("stragglers", "slow"),
        ("data", "input"),
        ("evaluation", "evaluation"),
        ("saves", "save"),
        ("spares", "spare"),
    ):
        if hours[kind] > best[1]:
            best = (cause, hours[kind])
    return best[0], 1 / ((paid - best[1] / 2) / hours["trained"])
