# one loop, in which a backward pass comes whenever enough micro-batches are kept
def one_f_one_b(stage, stages, micro_batches):
    actions, sent, back = [], 0, 0
    while back < micro_batches:
        if sent < micro_batches and sent - back < stages - stage:
            actions.append(("forward", sent))
            sent += 1
        else:
            actions.append(("backward", back))
            back += 1
    return actions
