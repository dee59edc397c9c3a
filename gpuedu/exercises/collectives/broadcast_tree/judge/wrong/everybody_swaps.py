# loses: messages
# asks: Some ranks received more than once. What does a rank need that has the tensor already?
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have = 1
    while have < ranks:
        other = me ^ have
        if other < ranks:
            got = torch.empty_like(x)
            sending = dist.isend(x, (other + root) % ranks)
            dist.recv(got, (other + root) % ranks)
            sending.wait()
            if have <= me < 2 * have:
                x.copy_(got)
        have *= 2
