# loses: causal
# asks: All keys of a block are masked for a query. What is the softmax of these scores?
def add_block(seen, s, values):
    old, total, out = seen
    block = s.logsumexp(1, keepdim=True)
    new = torch.logaddexp(old, block)
    out = out * torch.exp(old - new) + s.softmax(1) @ values * torch.exp(block - new)
    return new, torch.ones_like(total), out
