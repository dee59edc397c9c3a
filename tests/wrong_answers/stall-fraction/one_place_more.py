# loses: full-queue
# the place of the batch before
def done_times(loads_s, computes_s, depth):
    entered, taken, done = 0.0, [], []
    for i in range(len(loads_s)):
        entered += loads_s[i]
        if i > depth:
            entered = max(entered, taken[i - depth - 1])
        taken.append(max(entered, done[i - 1] if i else 0.0))
        done.append(taken[i] + computes_s[i])
    return done
