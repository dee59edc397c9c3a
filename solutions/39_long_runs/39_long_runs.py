# %% [markdown]
# # How much of the time that you pay for trains the model?
#
# A run of several weeks on hundreds of GPUs is never left in peace. Machines fail, others are slow,
# data arrives late, and somebody has to notice. In this lesson you choose how often to save, work
# out where a month of GPU hours went, and make the run call you when something is wrong.
#
# **You will be able to** choose how often to save a checkpoint; say what share of the GPU hours
# trained the model, and what would help most; and export metrics with alerts that fire when they
# should.
#
# **You need** *DDP in practice*, and *Clusters* for the terms. **Time** about 100 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import itertools
import math

setup("long-runs")

# %% [markdown] exercise="checkpoint-interval"
# ## How often do you save?
#
# **`checkpoint-interval` · 7 points · about 25 minutes**
#
# Choose how long a run trains between two checkpoints. Every save costs time. So does every
# failure, because the run starts again from its last checkpoint and repeats whatever came after it.
# If you save often, you pay for the saves; if you save rarely, you pay for work that's done twice.
# Somewhere in between is the best **interval**.
#
# *Predict.* A machine with 8 GPUs fails once in 6,300 hours on average, which is almost nine
# months. When one machine fails, the whole run stops. If the run uses 2,048 machines, how many
# hours pass between two failures?

# %% role="predict"
predict("checkpoint-interval", 24)

# %% [markdown]
# That's the run's **mean time between failures** (MTBF), and it's about what Meta saw when it
# trained Llama 3: 419 unexpected interruptions in 54 days. These are the costs, all in seconds:
#
# - `save_s`: how long training stops for each save.
# - `write_s`: how long it then takes to write the checkpoint, while training goes on. Such a save
#   is **asynchronous**: the GPUs only wait until their state is copied to the machine's memory.
#   Until it's written, a failure takes the run back to the previous checkpoint. The next save can't
#   start until then either, so the interval is never shorter than `write_s`.
# - `restart_s`: the time from a failure until the run trains again.

# %% [markdown]
# *Implement* `waste`, a first estimate of how many seconds are lost for each second of training
# that's kept. Training runs for `interval_s`, and then a save takes `save_s`. Once in `mtbf_s`, a
# failure costs a restart, plus all the work that the last written checkpoint doesn't contain. A
# failure can come at any moment of the interval, so on average that's half an interval, plus
# `write_s`. The estimate is the sum of what saves cost and what failures cost, each for one second
# of training. (It ignores that a failure can also come during a save or a restart.)


# %% role="answer"
def waste(interval_s, save_s, write_s, restart_s, mtbf_s):
    ### BEGIN SOLUTION
    per_failure = restart_s + write_s + interval_s / 2
    return save_s / interval_s + per_failure / mtbf_s
    ### END SOLUTION


# %% [markdown]
# Set the derivative of your sum to 0, and you get the interval `sqrt(2 * save_s * mtbf_s)`. This is
# Young's formula of 1974, and it's good as long as a save is short compared with `mtbf_s`. The
# exact result, if failures are independent of each other and equally likely at any time: an
# interval takes
#
# `mtbf_s * exp((restart_s + write_s) / mtbf_s) * (exp((interval_s + save_s) / mtbf_s) - 1)`
#
# seconds on average. This counts all attempts that fail, including during saves and restarts.
# *Implement* `best_interval`, for `nodes` machines that each fail once in `node_mtbf_s`. With your
# interval, the exact waste is at most 2% more than with the best one, even if a save takes longer
# than `mtbf_s`. Young's formula is too far off there, so search for the minimum numerically, or
# find a better formula.


# %% role="answer"
def best_interval(save_s, write_s, restart_s, node_mtbf_s, nodes):
    ### BEGIN SOLUTION
    mtbf_s = node_mtbf_s / nodes

    def cost(interval_s):
        return math.expm1((interval_s + save_s) / mtbf_s) / interval_s

    low, high = 0, mtbf_s
    for _ in range(100):
        third = (high - low) / 3
        if cost(low + third) < cost(high - third):
            high -= third
        else:
            low += third
    return max(high, write_s)
    ### END SOLUTION


# %% role="check"
check("checkpoint-interval", waste, best_interval)

# %% [markdown]
# *See* the expected loss for each interval; rings mark yours. The second picture is one day of a
# run that saves too often, as often as you say, and too rarely. In the first picture, one curve has
# just as many failures, but in bunches: soon after one failure, another is likely.

# %%
see("checkpoint-interval", best_interval)
see("long-runs/day", best_interval)
reveal("checkpoint-interval")

# %% [markdown]
# *Reflect.* The curves are flat around their minima. So how well do you have to know the MTBF? (Not
# very well. If you're wrong by a factor of two, the interval is wrong by the square root of that,
# and little more is lost.) With four times as many machines, how does the interval change? (It's
# half as long, and the waste at least doubles.)
#
# What does an asynchronous save improve, and what does it not? (Apart from the floor that `write_s`
# sets, only a long `save_s` calls for a long interval, so yours can be much shorter. But every
# failure now costs `write_s` more, and still a restart.) Why do real failures come in bunches? (One
# cause can stop several machines, and a repair that didn't work soon shows.)

# %% [markdown] exercise="goodput"
# ## Where did the hours go?
#
# **`goodput` · 7 points · about 30 minutes**
#
# Work out from a log what each GPU hour was used for. You pay for all of them, but only some train
# the model, and a failure undoes part of that. For a run, **goodput** is the share of the hours
# that trained the model and weren't undone by a failure. Meta's report on Llama 3 calls it
# effective training time, and puts it above 90%. Before you can raise it, you have to know where
# the rest went.
#
# *Predict.* One of 1,024 GPUs takes 25% longer for its part of each step. What percentage of all
# GPU hours is lost while that lasts?

# %% role="predict"
predict("goodput", 0.1)

# %% [markdown]
# A log covers the minutes from `log["start"]` to `log["end"]`, and `log["gpus"]` GPUs are paid for
# all that time. `log["events"]` is a list of dicts, each with `"kind"`, `"start"` and `"end"` in
# whole minutes:
#
# | kind | what it is |
# |---|---|
# | `"run"` | the program runs on `"gpus"` GPUs; one run at a time; `"ends"` says how it ends |
# | `"startup"` | from the start of a run to its first step |
# | `"save"` | training stops to save; the checkpoint is usable from `"written"` on |
# | `"evaluation"` | training stops to evaluate the model |
# | `"input"` | training waits for data |
# | `"slow"` | one machine is slow, and all others wait for `"share"` of the time |

# %% [markdown]
# *Implement* `account(log)`. It returns a dict with GPU hours (floats) of nine kinds:
#
# - `"down"`: no run is running, and all GPUs are idle. `"spare"`: GPUs that the run doesn't use.
# - `"startup"`, `"save"`, `"evaluation"`, `"input"`: all GPUs of the run, while that goes on. If
#   several of these go on at once, the first one in this order counts.
# - The rest of the run's time is training. `"slow"` is the share of it that waits for a slow
#   machine, on all GPUs of the run. If several machines are slow at once, the largest share counts.
#   What's left is `"redone"` or `"trained"`.
# - `"redone"` is training that is lost. A run whose `"ends"` is `"failure"` fails at its end. The
#   next run continues from the `"start"` of the last save that was written by then, in this run or
#   an earlier one, and all training in between is lost. (A run that is `"stopped"` saves first.)

# %% [markdown]
# - Together these add up to exactly the GPU hours that were paid for.
# - Only what's within the log counts, though events may start before it. If the log has no save
#   that was written before a failure, all of its training up to the failure is lost.
# - An `"end"` of None means that nobody saw the end. Such an event lasts until its run ends
#   (`end_of` below does that). A run whose `"end"` and `"ends"` are None still runs at the end of
#   the log, and what it trained counts as kept. A `"written"` of None means that the checkpoint
#   wasn't written.
# - No function changes the log.


# %% role="given"
ORDER = ("startup", "save", "evaluation", "input")
KINDS = (*ORDER, "down", "spare", "slow", "redone", "trained")


def end_of(event, log):
    """When an event ends, as far as the log knows."""
    if event["end"] is not None:
        return event["end"]
    runs = [one for one in log["events"] if one["kind"] == "run" and one["end"] is not None]
    return min((run["end"] for run in runs if run["end"] > event["start"]), default=log["end"])


# %% role="answer"
def account(log):
    """GPU hours by kind."""
    ### BEGIN SOLUTION
    spans = [(one["start"], end_of(one, log), one) for one in log["events"]]
    lost = []
    for _, end, run in spans:
        if run["kind"] == "run" and run["ends"] == "failure":
            saves = [one for one in log["events"] if one["kind"] == "save" and one["written"]]
            safe = [one["start"] for one in saves if one["written"] <= end]
            lost.append((max(safe, default=log["start"]), end))
    times = {log["start"], log["end"], *(time for span in spans for time in span[:2])}
    cuts = sorted(time for time in times if log["start"] <= time <= log["end"])
    hours = dict.fromkeys(KINDS, 0.0)
    for left, right in itertools.pairwise(cuts):
        now = [one for start, end, one in spans if start <= left and right <= end]
        used = sum(one["gpus"] for one in now if one["kind"] == "run") * (right - left) / 60
        hours["spare" if used else "down"] += log["gpus"] * (right - left) / 60 - used
        stops = [kind for kind in ORDER if any(one["kind"] == kind for one in now)]
        slow = [one["share"] for one in now if one["kind"] == "slow" and not stops]
        hours["slow"] += used * max(slow, default=0)
        is_lost = any(start <= left and right <= end for start, end in lost)
        kind = stops[0] if stops else "redone" if is_lost else "trained"
        hours[kind] += used * (1 - max(slow, default=0))
    return hours
    ### END SOLUTION


# %% [markdown]
# *Implement* two more functions. `goodput(log)` is the share of the paid GPU hours that trained and
# was kept, a number from 0 to 1. `largest_loss(log)` returns a tuple: which of these causes took
# the most GPU hours, and what the goodput would be if it took half as many. The same training would
# be done, so the run would finish earlier and you'd pay for fewer hours.
#
# | cause | kinds |
# |---|---|
# | `"interruptions"` | redone, startup, down |
# | `"stragglers"` | slow |
# | `"data"` | input |
# | `"evaluation"` | evaluation |
# | `"saves"` | save |
# | `"spares"` | spare |


# %% role="answer"
def goodput(log):
    ### BEGIN SOLUTION
    hours = account(log)
    return hours["trained"] / sum(hours.values())
    ### END SOLUTION


def largest_loss(log):
    """Its cause, and the goodput if it were halved."""
    ### BEGIN SOLUTION
    hours = account(log)
    lost = {
        "interruptions": hours["redone"] + hours["startup"] + hours["down"],
        "stragglers": hours["slow"],
        "data": hours["input"],
        "evaluation": hours["evaluation"],
        "saves": hours["save"],
        "spares": hours["spare"],
    }
    cause = max(lost, key=lost.get)
    return cause, hours["trained"] / (sum(hours.values()) - lost[cause] / 2)
    ### END SOLUTION


# %% role="check"
check("goodput", account, goodput, largest_loss)

# %% [markdown]
# *See* your account of a simulated month of 1,056 GPUs, and what halving the largest loss would do.

# %%
see("goodput", account, largest_loss)
reveal("goodput")

# %% [markdown]
# *Reflect.* Goodput tells you how many of the hours train the model. **Model FLOPs utilization**
# (MFU) tells you how fast they do it: the throughput that you see, divided by what the GPUs would
# reach if they computed the model's own FLOP at their peak. (Recomputed activations don't count as
# the model's own.) A run has a goodput of 90% and an MFU of 40%. What share of the FLOP that you
# paid for went into the model? (36%, if the MFU is that of undisturbed steps, as it often is. Each
# number hides what the other shows.)
#
# Spares cost hours every day. Why might they raise the goodput all the same? (A run that can swap
# in a spare machine starts again in minutes. Without one, all GPUs wait for the repair.) And why is
# there no point in halving the smallest loss? (Even without it, the sum hardly changes.)

# %% [markdown] exercise="watch-it"
# ## Who calls you at night?
#
# **`watch-it` · 8 points · about 40 minutes**
#
# Export what a training run does as metrics, and write alerts that fire when something is wrong and
# at no other time. Prometheus, a monitoring system, fetches ("scrapes") the metrics of all
# processes, here every 15 seconds. It keeps them as **time series**: values over time, one series
# for each combination of **labels**. An alert is an expression over these series, in its language
# PromQL.
#
# *Predict.* A **counter** only grows, but when its process restarts, it starts again from 0. One is
# scraped as 1,100, 1,200, 20 and 50. By how much did the thing it counts grow in that time?

# %% role="predict"
predict("watch-it", 50)

# %% [markdown]
# *Implement* `scrape(records)`: what a process shows Prometheus after some steps. Each record is a
# dict about one step: `"node"`, `"run"` (an id), `"step"`, `"compute_ms"` (how long this node
# computed before it waited for the others), `"tokens"`, `"loss"` and `"memory_mib"` (in use on its
# GPUs).
#
# | metric | what it says |
# |---|---|
# | `train_steps_total` | how many steps were done |
# | `train_tokens_total` | how many tokens were read in them |
# | `train_compute_seconds` | how the compute times are distributed |
# | `train_loss` | the loss of the last step |
# | `train_memory_bytes` | the memory in use after the last step |

# %% [markdown]
# - Choose the right type for each: a `Counter` only grows, a `Gauge` goes up and down, and a
#   `Histogram` counts, for each of its `buckets`, how many values are at most that large. Your
#   buckets include 0.25, 0.5, 1 and 2.
# - Units are base units, as the names say: seconds, and bytes (a MiB is 2\*\*20).
# - The only label is `node`. A label with the step's number would make a new series every step.
# - Return what `generate_latest` gives. The registry holds your metrics, so create each one with
#   `registry=registry`; the default registry would still have those of the last call. `Counter`
#   adds `_total` to the name itself.


# %% role="given"
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


# %% role="answer"
def scrape(records):
    """The text that Prometheus reads."""
    registry = CollectorRegistry()
    ### BEGIN SOLUTION
    of_node = {"labelnames": ["node"], "registry": registry}
    steps = Counter("train_steps_total", "Steps that were done", **of_node)
    tokens = Counter("train_tokens_total", "Tokens that were read", **of_node)
    bounds = (0.25, 0.5, 1, 2)
    compute = Histogram("train_compute_seconds", "Compute time", buckets=bounds, **of_node)
    loss = Gauge("train_loss", "Loss of the last step", **of_node)
    memory = Gauge("train_memory_bytes", "Memory in use", **of_node)
    for record in records:
        node = record["node"]
        steps.labels(node).inc()
        tokens.labels(node).inc(record["tokens"])
        compute.labels(node).observe(record["compute_ms"] / 1000)
        loss.labels(node).set(record["loss"])
        memory.labels(node).set(record["memory_mib"] * 2**20)
    ### END SOLUTION
    return generate_latest(registry)


# %% [markdown]
# Now six nodes run that, with four GPUs each. NVIDIA's DCGM exports more about each GPU, with the
# labels `Hostname` (the node's name; there's no `node`) and `gpu`. `DCGM_FI_DEV_GPU_TEMP` is in
# degrees Celsius. `DCGM_FI_DEV_XID_ERRORS` is the number (Xid) of the last error that the driver
# reported, and 0 here if there was none. *Implement* two rule files: `run_rules` with the first
# three alerts, and `gpu_rules` with the other two. There's one alert for each fault:
#
# | alert | fault |
# |---|---|
# | `SlowNode` | a node computes at least 45% longer than the others |
# | `LossNotFinite` | the loss is NaN or infinite |
# | `NoProgress` | all processes hang, or all are gone |
# | `GpuHot` | a GPU is at 88 degrees or more |
# | `GpuBroken` | Xid 48, 79 or 95, which point to the hardware |

# %% [markdown]
# None of these is a reason to fire:
#
# - noise of a few percent in compute times, a node that computes 5% longer, and all nodes computing
#   longer together;
# - temperatures up to 80 degrees;
# - up to 2 minutes in which a node takes 2.5 times as long, or a GPU is above 88 degrees;
# - up to 30 seconds with a loss that isn't finite, because that step is skipped;
# - evaluations, up to 4 minutes without steps;
# - restarts: 3 minutes without processes, and then one without steps;
# - Xid 13, 31, 43, 45 and 69, which mostly come from the program.

# %% [markdown]
# - The rules are evaluated once a minute. An alert fires at most 15 minutes after its fault starts,
#   and never for another fault or for anything harmless.
# - `SlowNode` fires with the label `node` of the slow one only, `GpuHot` and `GpuBroken` with
#   `Hostname` and `gpu`. Their summaries mention these labels, as in `{{ $labels.node }}`.
# - Every alert has a label `severity`, page or ticket as you see fit, and an annotation `summary`.
#
# In training, every node waits for the slowest one. So all of them do the same number of steps, and
# only `train_compute_seconds` shows who is slow. Its series are `train_compute_seconds_sum` and
# `_count`, which give a mean, and `_bucket`, which you don't need.

# %% [markdown]
# Here's what you need to know about PromQL:
#
# - `train_loss` is the newest value of each series, and `train_loss > 3` keeps those above 3. A
#   series is gone when its process is, and `absent(train_loss)` gives 1 if all of them are.
# - `rate(train_steps_total[5m])` is the growth per second over the last 5 minutes, and
#   `increase(...)` is the growth. Both know that a counter may start again. They need a range like
#   that, with at least two scrapes in it. `avg_over_time(...[5m])` is a mean over time.
# - `avg(...)`, `sum(...)` and so on make one value out of all series, without labels; `sum by
#   (node) (...)` makes one for each node.
# - `up{job="train"}` is 1 for each process that answers Prometheus, and 0 for one that doesn't.

# %% [markdown]
# - `a > b`, `a / b` and so on pair up series with the same labels, and drop those without a
#   partner. `a > on() group_left() b` compares every series of `a` with the only one of `b`.
# - `a and b` keeps the series of `a` that have a partner in `b`, `a unless b` keeps those that have
#   none, and `a or b` gives both. NaN doesn't even equal itself. Infinity is `Inf`.
# - `for: 5m` below `expr` means that the alert is pending at first, and fires only once the
#   expression has held for 5 minutes.

# %% [markdown]
# Here's an example of a rule, for a fault that isn't in the table. An expression over several lines
# goes below `expr: |`, and text with `{{` in it goes in quotes. If the check says that something
# isn't evaluated, find another way to write it.
#
# ```yaml
# - alert: MemoryNearlyFull
#   expr: max by (node) (train_memory_bytes) > 75e9
#   for: 10m
#   labels: {severity: ticket}
#   annotations: {summary: "{{ $labels.node }} is short of memory"}
# ```


# %% role="answer"
run_rules = r"""
groups:
- name: run
  rules:
  # ### BEGIN SOLUTION
  - alert: SlowNode
    expr: |
      rate(train_compute_seconds_sum[5m]) / rate(train_compute_seconds_count[5m])
        > on() group_left() 1.2 * avg(
          rate(train_compute_seconds_sum[5m]) / rate(train_compute_seconds_count[5m]))
    for: 5m
    labels: {severity: ticket}
    annotations: {summary: "{{ $labels.node }} computes longer than the others"}
  - alert: LossNotFinite
    expr: train_loss - train_loss != 0
    for: 3m
    labels: {severity: page}
    annotations: {summary: "The loss is no longer a finite number"}
  - alert: NoProgress
    expr: sum(increase(train_steps_total[5m])) == 0 or absent(train_steps_total)
    for: 5m
    labels: {severity: page}
    annotations: {summary: "No steps, or no processes"}
  # ### END SOLUTION
"""


# %% role="answer"
gpu_rules = r"""
groups:
- name: gpus
  rules:
  # ### BEGIN SOLUTION
  - alert: GpuHot
    expr: DCGM_FI_DEV_GPU_TEMP > 84
    for: 5m
    labels: {severity: ticket}
    annotations: {summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} is hot"}
  - alert: GpuBroken
    expr: |
      DCGM_FI_DEV_XID_ERRORS == 48
        or DCGM_FI_DEV_XID_ERRORS == 79
        or DCGM_FI_DEV_XID_ERRORS == 95
    labels: {severity: page}
    annotations: {summary: "Xid {{ $value }}: GPU {{ $labels.gpu }} of {{ $labels.Hostname }}"}
  # ### END SOLUTION
"""

# %% role="check"
check("watch-it", scrape, run_rules, gpu_rules)

# %% [markdown]
# *See* two hours in which a lot happens, and when each of your alerts waits and fires.

# %%
see("watch-it", run_rules, gpu_rules)
reveal("watch-it")

# %% [markdown]
# *Reflect.* Why does `GpuHot` need a `for`, when `GpuBroken` doesn't? (An error that the driver has
# reported has happened. A temperature varies around a level.) Which of the five should wake
# somebody up? (Those that stop the training, because every minute of that wastes a minute of every
# GPU: `LossNotFinite`, `NoProgress` and `GpuBroken`. A slow node can wait until the morning, unless
# it's very slow.)
#
# An alert that fires every night for nothing is ignored on the one night when it's right. What
# would you check before you add a sixth? (On last month's series, how often it would have fired,
# and what somebody would have done each time.)

# %% [markdown]
# ## What you take with you
#
# - The best time between two checkpoints grows with the square root of what a save costs times the
#   time between failures, as long as saves are short compared with that time.
# - Goodput counts the hours that trained the model. Find the largest loss before you fix anything.
# - A good alert says what is wrong, waits until it's sure, and otherwise stays quiet.
#
# **Your number:** the goodput of the last long job that you ran.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Best interval: J. Young, *A First Order Approximation to the Optimum Checkpoint Interval*,
#   Communications of the ACM 17, 1974; J. Daly, *A higher order estimate of the optimum checkpoint
#   interval for restart dumps*, Future Generation Computer Systems 22, 2006. The expected time of
#   an interval is Daly's; its minimum agrees with the optima of his figures 3 to 5 (117, 57 and 9.1
#   minutes). Writing after the save is added here, and was checked against a simulation.
# - Interruptions, their number and effective training time: Llama Team, *The Llama 3 Herd of
#   Models*, arXiv:2407.21783, section "Reliability and Operational Challenges". The 6,300 hours of
#   one machine are worked out from it: 2,048 machines of 8 GPUs, 54 days, 419 unexpected
#   interruptions.
# - Goodput as preserved, productive time, and where the rest goes: Google Cloud, "Monitor goodput
#   with the ML Goodput Measurement library". MFU: A. Chowdhery et al., *PaLM*, arXiv:2204.02311,
#   section 4.1 and appendix B.
# - Types, units and `_total`: Prometheus, "Metric types" and "Metric and label naming"; `rate`,
#   `absent` and other functions: "Query functions"; staleness: "Querying basics"; `for`: "Alerting
#   rules". What the check evaluates was compared with Prometheus's own `promtool` 2.42.
# - Names and meanings of DCGM's metrics: NVIDIA, "DCGM Exporter Metrics" and dcgm-exporter's
#   `default-counters.csv`. Xid errors: NVIDIA, "Analyzing Xid Errors with the Xid Catalog", and
#   "Xid Checks" of its Health Validation.
