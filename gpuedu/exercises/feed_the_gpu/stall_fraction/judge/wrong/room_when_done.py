# loses: full-queue
# asks: That is with one place less: as if the batch that the loader holds stood in the queue.
def done_times(loads_s, computes_s, depth):
    entered, done = 0.0, []
    for i in range(len(loads_s)):
        entered += loads_s[i]
        if i >= depth:
            entered = max(entered, done[i - depth])
        done.append(max(entered, done[i - 1] if i else 0.0) + computes_s[i])
    return done
