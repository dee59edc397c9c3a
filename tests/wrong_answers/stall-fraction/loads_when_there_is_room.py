# loses: full-queue
# begins to load only when there is room for the result
def done_times(loads_s, computes_s, depth):
    entered, taken, done = 0.0, [], []
    for i in range(len(loads_s)):
        if i >= depth:
            entered = max(entered, taken[i - depth])
        entered += loads_s[i]
        taken.append(max(entered, done[i - 1] if i else 0.0))
        done.append(taken[i] + computes_s[i])
    return done
