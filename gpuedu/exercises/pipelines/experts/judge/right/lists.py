# Lists by rank, token by token; experts' numbers from a gather; messages by hand
def route(logits, capacity):
    chances = torch.exp(logits - logits.max(1, keepdim=True).values)
    chances = chances / chances.sum(1, keepdim=True)
    taken, experts, gates, kept = {}, [], [], []
    for row in chances:
        e = int(row.argmax())
        taken[e] = taken.get(e, 0) + 1
        experts.append(e)
        gates.append(float(row[e]))
        kept.append(taken[e] <= capacity)
    return (
        torch.tensor(experts, dtype=torch.int64),
        torch.tensor(gates, dtype=logits.dtype),
        torch.tensor(kept, dtype=torch.bool),
    )


def swap(sends, takes, width):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    got = [torch.empty(n, width, dtype=torch.float64) for n in takes]
    got[rank] = sends[rank]
    work = [dist.isend(sends[to], to) for to in range(ranks) if to != rank and len(sends[to])]
    for src in range(ranks):
        if src != rank and takes[src]:
            dist.recv(got[src], src)
    for one in work:
        one.wait()
    return got


def moe_forward(x, logits, capacity, w1, w2):
    rank, ranks, each = dist.get_rank(), dist.get_world_size(), w1.shape[0]
    expert, gate, kept = route(logits, capacity)
    mine = [[] for _ in range(ranks * each)]
    for at in range(len(x)):
        if kept[at]:
            mine[int(expert[at])].append(at)
    counts = torch.tensor([len(one) for one in mine])
    everybody = torch.empty(ranks * ranks * each, dtype=torch.int64)
    dist.all_gather_into_tensor(everybody, counts)
    table = everybody.view(ranks, ranks, each)[:, rank].tolist()
    places = [sum(mine[to * each : (to + 1) * each], []) for to in range(ranks)]
    width = x.shape[1]
    got = swap([x[one].reshape(-1, width) for one in places], [sum(row) for row in table], width)
    done = []
    for rows, row in zip(got, table, strict=True):
        parts = rows.split(row)
        done.append(torch.cat([torch.relu(p @ a) @ b for p, a, b in zip(parts, w1, w2)]))
    y = x.clone()
    for places_of, rows in zip(places, swap(done, [len(one) for one in places], width)):
        for at, row in zip(places_of, rows):
            y[at] = x[at] + gate[at] * row
    return y


def balance_loss(logits):
    chances = logits.softmax(-1)
    sums = torch.zeros(3, logits.shape[1], dtype=logits.dtype)
    for row in chances:
        sums[0, int(row.argmax())] += 1
        sums[1] += row
        sums[2] += 1
    dist.all_reduce(sums)
    return (sums[0] * sums[1] / sums[2] ** 2).sum() * logits.shape[1]
