def overlap(gaps, spans, blocked=()):
    """The pieces of the gaps in which a span of the list runs, and none of those blocked."""
    edges = sorted(
        {e for one in (*gaps, *spans, *blocked) for e in (one.start_s, one.start_s + one.time_s)}
    )
    total = 0.0
    for begin, end in zip(edges, edges[1:]):
        middle = (begin + end) / 2

        def inside(found):
            return any(one.start_s <= middle < one.start_s + one.time_s for one in found)

        if inside(gaps) and inside(spans) and not inside(blocked):
            total += end - begin
    return total


def where_it_went(profile):
    gaps = profile.gaps("device")
    kernels = profile.busy_s("device")
    copies = overlap(gaps, profile.copies)
    launches = overlap(gaps, profile.operators, blocked=profile.copies)
    python = profile.end_s - kernels - copies - launches
    return {"kernels": kernels, "copies": copies, "launches": launches, "python": python}
