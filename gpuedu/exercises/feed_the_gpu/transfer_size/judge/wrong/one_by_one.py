# loses: one-copy
# asks: Each copy pays the latency anew. What could be copied in place of all of them?
def send(tensors, copy):
    return [copy(tensor) for tensor in tensors]
