# loses: full
# asks: Does a block with small scores count as much as one with large scores?
def add_block(seen, s, values):
    top, count, out = seen
    return top, count + 1, out + s.softmax(1) @ values
