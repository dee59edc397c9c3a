# the ranks in halves: the first of the left half sends to the first of the right one
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    low, high = 0, ranks
    while high - low > 1:
        middle = (low + high + 1) // 2
        if me == low:
            dist.send(x, (middle + root) % ranks)
        elif me == middle:
            dist.recv(x, (low + root) % ranks)
        if me < middle:
            high = middle
        else:
            low = middle
