# must lose: served, memory, order, no-idling, left-alone
def admit(waiting, running, free_tokens):
    return [text["id"] for text in waiting]


def percentile(values, percent):
    return 0.0


def metrics(log):
    return {}
