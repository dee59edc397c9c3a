# loses: arrives
# asks: Who sent to it did not have the root's tensor yet. Who has it, in each round?
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    step = 1
    while step < ranks:
        if me % (2 * step) == 0 and me + step < ranks:
            dist.send(x, (me + step + root) % ranks)
        elif me % (2 * step) == step:
            dist.recv(x, (me - step + root) % ranks)
        step *= 2
