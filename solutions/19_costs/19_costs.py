# %% [markdown]
# # What will it cost, and what is the cheapest way?
#
# Some devices cost ten times as much per hour as others. In the figure, the same training run is
# priced on one of each, and it's often the cheap hours that add up to the expensive run. So the
# price that counts is that of the *result*: with the electricity, with every deadline met, and with
# what interruptions cost if you rent machines that the cloud may take back.
#
# **You will be able to** turn a step's time into hours, kilowatt-hours and money; choose among
# offers, and show why; say whether a discount is worth the interruptions.
#
# **You need** to know how a step's time and a model's memory are estimated (*Choose hardware*).
# **Time** about 90 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import math

setup("costs")

# %%
see("choose-hardware/hour-or-run")

# %% [markdown] exercise="cost-and-energy"
# ## What does it cost?
#
# **`cost-and-energy` · 6 points · about 25 minutes**
#
# Turn a step's time into hours, kilowatt-hours, money and CO2, and compare devices by what a result
# costs. You supply the prices: they change often, so the course has only example prices. A device
# that is rented has a price per hour. One that you own takes electricity, and so does the building
# around it: **PUE** (power usage effectiveness) is how many watts a data center draws for each watt
# of its computers (the industry's average is about 1.56, the best are below 1.1).
#
# *Predict.* A GPU draws 700 W in a data center with a PUE of 1.2. How many kWh does it take in a
# day?

# %% role="predict"
predict("cost-and-energy", 20.16)

# %% [markdown]
# *Implement.* `run_cost` returns four numbers for a run of `steps` steps (those of an epoch, say)
# on `devices` devices: hours, kWh (the building's), money and kg of CO2. `power_w` is what one
# device draws, `price_per_hour` what one costs in an hour, `g_per_kwh` how many grams of CO2 a kWh
# causes on the local grid.
#
# `per_million` returns the money for a million tokens, when one device makes `tokens_per_s`.


# %% role="answer"
def run_cost(steps, step_s, devices, power_w, pue, price_per_hour, g_per_kwh):
    ### BEGIN SOLUTION
    hours = steps * step_s / 3600
    kwh = hours * devices * power_w * pue / 1000
    return hours, kwh, hours * devices * price_per_hour, kwh * g_per_kwh / 1000
    ### END SOLUTION


def per_million(price_per_hour, tokens_per_s):
    ### BEGIN SOLUTION
    return price_per_hour / 3600 / tokens_per_s * 1e6
    ### END SOLUTION


# %% [markdown]
# Here is how much a device can compute for each watt on its data sheet. From the P100 (2016) to the
# B200 (2024), it grew by a factor of thirty, much of it through matrix units.

# %%
see("choose-hardware/per-watt")

# %% [markdown]
# How much does a device really draw? NVIDIA's driver reports watts (and, from Volta on, also the
# joules since it was loaded). Intel's and AMD's CPUs count energy instead (RAPL): a counter in
# microjoules that only grows, until it reaches its maximum and starts again from 0. You read it now
# and then, often enough that it starts again at most once between two readings.
#
# *Implement.* `energy_j` returns the joules from the first to the last of a list of `readings` in
# microjoules; the counter goes from `wraps_at - 1` to 0. Between two equal readings it has not
# moved. `joules_each` returns the joules that each result added: `results` of them took `energy`
# joules in `time_s` seconds, and an idle machine would have drawn `idle_w` watts all that time. (On
# a machine that is on all day, what counts is what the run adds.)


# %% role="answer"
def energy_j(readings, wraps_at):
    ### BEGIN SOLUTION
    total = 0
    for before, after in zip(readings, readings[1:]):
        total += (after - before) % wraps_at
    return total / 1e6
    ### END SOLUTION


def joules_each(energy, idle_w, time_s, results):
    ### BEGIN SOLUTION
    return (energy - idle_w * time_s) / results
    ### END SOLUTION


# %% role="check"
check("cost-and-energy", run_cost, per_million, energy_j, joules_each)

# %% [markdown]
# *See.* The same run on eight power grids, and the joules of a matrix product on a few devices of
# the catalog, at their peak. *Measure.* This machine's own joules, where it has a counter.

# %%
see("cost-and-energy", run_cost)
see("choose-hardware/joules", joules_each)
reveal("cost-and-energy")
measure("cost-and-energy", energy_j, joules_each)

# %% [markdown]
# *Reflect.* A GPU draws several times what a CPU does and still takes less energy for the result,
# because it is done so much sooner. That holds while it is busy. What does a GPU that waits for
# data half of the time cost for each result: in money, and in energy?

# %% [markdown] exercise="pick-one"
# ## Which one?
#
# **`pick-one` · 7 points · about 30 minutes**
#
# Choose from a list of offers the cheapest that holds the model, meets the deadline and stays
# within the budget, or say that there is none. Several devices are faster, but never n times as
# fast: here, n devices are `n / (1 + overhead * (n - 1))` times as fast as one.
#
# *Predict.* With an overhead of 0.05, how many times as fast as one device are 8?

# %% role="predict"
predict("pick-one", 5.93)

# %% [markdown]
# *Implement.* `hours` returns the hours that a run of `flop` takes on `devices` devices, each of
# which reaches `flop_per_s`.
#
# `pick` returns the name and the number of the cheapest choice, as `"2 x A100"` (one device is
# `"1 x A100"`), or `""` if nothing meets all the conditions. `job` is a dict with `"flop"`,
# `"shared_bytes"`, `"own_bytes"`, `"overhead"`, `"deadline_h"` and `"budget"`. Each offer is a dict
# with `"name"`, `"memory_bytes"`, `"flop_per_s"`, `"price_per_hour"` (of one) and `"most"`. No two
# offers have the same name.


# %% [markdown]
# - An offer has from 1 to `most` devices. Any number of them may be rented.
# - Each device needs `own_bytes` and its share of `shared_bytes`, in 90% of its memory.
# - A run that takes exactly `deadline_h`, or costs exactly the `budget`, is fine.
# - Of choices that cost the same, take the one with fewer devices, then the one that is listed
#   first. Prices are the same if they are equal when rounded to six decimal places; the budget is
#   compared without rounding.


# %% role="answer"
def hours(flop, devices, flop_per_s, overhead):
    ### BEGIN SOLUTION
    speedup = devices / (1 + overhead * (devices - 1))
    return flop / (speedup * flop_per_s) / 3600
    ### END SOLUTION


def pick(job, offers):
    ### BEGIN SOLUTION
    found = []
    for place, offer in enumerate(offers):
        for devices in range(1, offer["most"] + 1):
            needed = job["own_bytes"] + job["shared_bytes"] / devices
            time_h = hours(job["flop"], devices, offer["flop_per_s"], job["overhead"])
            price = devices * time_h * offer["price_per_hour"]
            if needed > 0.9 * offer["memory_bytes"]:
                continue
            if time_h <= job["deadline_h"] and price <= job["budget"]:
                found.append((round(price, 6), devices, place))
    if not found:
        return ""
    _, devices, place = min(found)
    return f"{devices} x {offers[place]['name']}"
    ### END SOLUTION


# %% [markdown]
# Or buy it? A device that you own costs its price once, and electricity while it runs. Over its
# life of `years` (of 8,760 hours each) you use it for a share of the hours, and each of those hours
# would otherwise have been rented.
#
# *Implement.* `share_to_buy` returns the share of hours above which buying is cheaper. `power_w` is
# what it draws while it is used, the building included. Return `math.inf` where buying never pays:
# where an hour's electricity costs at least as much as an hour's rent, or where even using it all
# the time is not enough.


# %% role="answer"
def share_to_buy(price, years, power_w, price_per_kwh, rent_per_hour):
    ### BEGIN SOLUTION
    saved = rent_per_hour - power_w / 1000 * price_per_kwh
    if saved <= 0:
        return math.inf
    share = price / (saved * years * 8760)
    return share if share <= 1 else math.inf
    ### END SOLUTION


# %% role="check"
check("pick-one", hours, pick, share_to_buy)

# %% [markdown]
# *See.* Every choice for a run of GPT-2 on 10 billion tokens: its time and its cost, at example
# prices. Your pick has a ring. Only the choices at the lower left edge are worth thinking about:
# for everything else there is a choice that is both faster and cheaper. Put your own prices into
# `gpuedu choose --prices`, which makes a table of such choices for your own model.

# %%
see("pick-one", pick)
reveal("pick-one")

# %% [markdown]
# *Reflect.* The cheapest hour is rarely the cheapest run, and of any one kind, a single device is
# cheapest if it holds the model and meets the deadline: more of them only buy time. What does an
# hour of *your* time cost while the run is not done? And if you buy a device, who uses it in the
# hours when you don't?

# %% [markdown] exercise="spot-or-not"
# ## Half the price, if you can stand being interrupted
#
# **`spot-or-not` · 7 points · about 30 minutes**
#
# Clouds sell what is idle at a discount, as **spot** or preemptible machines, and take it back when
# somebody who pays full price needs it. Work out what that costs: the work lost since the last
# checkpoint, the time for the checkpoints, and the time for a restart. Then choose how often to
# save.
#
# *Predict.* You save every hour, and a save takes no time. Interruptions come at random. How many
# hours of work does one of them cost on average (leaving the restart aside)?

# %% role="predict"
predict("spot-or-not", 0.5)

# %% [markdown]
# *Implement.* `run_h` simulates a run of `work_h` hours of work, and returns the hours from the
# start to the end. `up_h` lists how long the machine stays up: each number is a *stretch* of hours
# that ends with an interruption, after which the next stretch starts. When the list is used up,
# there are no more interruptions.
#
# - The run works for `interval_h`, saves for `save_h`, works on, and so on. Saved work is safe from
#   the moment when the save is complete. The last piece may be shorter, and needs no save.
# - An interruption loses everything since the last complete save. Every stretch but the first, the
#   last one included, begins with `restart_h` hours in which nothing is done; this restart may be
#   interrupted as well.
# - Only hours in which the machine is up count, not those spent waiting for a new one.
# - A piece or a save that ends at the very moment of the interruption is complete.


# %% role="answer"
def run_h(up_h, work_h, interval_h, save_h, restart_h):
    ### BEGIN SOLUTION
    total = saved = 0.0
    for place, up in enumerate([*up_h, math.inf]):
        now = restart_h if place else 0.0
        while work_h - saved > interval_h and now + interval_h + save_h <= up:
            now += interval_h + save_h
            saved += interval_h
        left = work_h - saved
        if left <= interval_h and now + left <= up:
            break
        total += up
    return total + now + left
    ### END SOLUTION


# %% [markdown]
# With interruptions at random, `mean_h` hours apart on average, the mean of many such runs has a
# formula. A piece of work with its save takes
# `mean_h * exp(restart_h / mean_h) * (exp((interval_h + save_h) / mean_h) - 1)` hours
# on average, all its failed attempts and restarts included, and there are `work_h / interval_h`
# pieces. (A partial piece counts in proportion, and there is a save after the last one, so this
# is a little more than `run_h` gives.)
#
# *Implement.* `expected_h` returns the expected hours by this formula. `best_interval` returns an
# interval of work between saves whose expected hours are within 0.1% of the fewest possible. An
# interval may have any length above 0, and `save_h` is above 0. (`sqrt(2 * save_h * mean_h)`,
# Young's formula, is a first guess and no more than that.)


# %% role="answer"
def expected_h(work_h, interval_h, save_h, restart_h, mean_h):
    ### BEGIN SOLUTION
    piece = math.exp((interval_h + save_h) / mean_h) - 1
    return mean_h * math.exp(restart_h / mean_h) * piece * work_h / interval_h
    ### END SOLUTION


def best_interval(save_h, restart_h, mean_h):
    ### BEGIN SOLUTION
    guess = math.sqrt(2 * save_h * mean_h)
    tried = [guess * 1.01**k for k in range(-400, 200)]
    return min(tried, key=lambda one: expected_h(1, one, save_h, restart_h, mean_h))
    ### END SOLUTION


# %% role="check"
check("spot-or-not", run_h, expected_h, best_interval)

# %% [markdown]
# *See.* The expected hours of a run of 100 hours, by the interval between saves: the formula as a
# line, the mean of your simulated runs as points, and your best interval. Then what an hour of work
# costs on a spot machine at a discount of 60%, by the time between interruptions.

# %%
see("spot-or-not", run_h, expected_h, best_interval)
see("choose-hardware/spot-price", expected_h, best_interval)
reveal("spot-or-not")

# %% [markdown]
# *Reflect.* Around its minimum the curve is flat: twice the best interval costs a few percent.
# Never saving, or saving every minute, costs far more. And a run on 64 spot machines is
# interrupted 64 times as often if each interruption stops them all. What would have to change in
# your training script before you could use them?

# %% [markdown]
# ## Your own run
#
# Put in a model of your own, and the number of tokens it should see. The picture shows every choice
# at example prices. The ringed ones are those that nothing else beats in both time and rent, so
# your decision is among them.

# %%
MINE = {
    "layers": 24,
    "width": 1024,
    "heads": 16,
    "vocabulary": 50_257,
    "batch": 8,  # texts on each device
    "length": 1024,  # tokens of a text
    "tokens": 10e9,  # in all
}
see("choose-hardware/your-choices", MINE)

# %% [markdown] exercise="gpu-or-tpu"
# ## Do your shapes fit the matrix unit?
#
# **`gpu-or-tpu` · 4 points · stretch · about 15 minutes**
#
# A TPU's matrix unit is a **systolic array** of `side` x `side` multipliers. It holds a `side` x
# `side` piece of the weights, and the activations stream through it, 8 rows at a time. What doesn't
# fill it is padded with zeros, which take as long as numbers do. A GPU pads as well: it computes
# the result in tiles, one tile on each SM at a time. If the number of tiles isn't a multiple of the
# number of SMs, the last **wave** of tiles leaves SMs idle. Compare the two for a product of (m, k)
# and (k, n).
#
# *Predict.* A product with k = 4096 and n = 130, on a unit of 128 x 128. What share of its work is
# useful, as a number from 0 to 1?

# %% role="predict"
predict("gpu-or-tpu", 0.508)

# %% [markdown]
# *Implement.* `tpu_share` returns the useful share: the product's m · n · k over that of the padded
# one, where m is rounded up to a multiple of 8, and n and k to multiples of `side`. `gpu_share`
# returns the useful share of a GPU: m · n over the elements of all tiles in all waves, where every
# wave, the last one too, counts as `sms` tiles. `faster` returns the device whose peak times its
# share is larger, `"TPU"` or `"GPU"`, and `"either"` if the two are equal. `tpu` is a dict with
# `"flop_per_s"` and `"side"`, `gpu` one with `"flop_per_s"`, `"tile_m"`, `"tile_n"` and `"sms"`.


# %% role="answer"
def tpu_share(m, n, k, side):
    ### BEGIN SOLUTION
    rows = math.ceil(m / 8) * 8
    return m * n * k / (rows * math.ceil(n / side) * side * math.ceil(k / side) * side)
    ### END SOLUTION


def gpu_share(m, n, tile_m, tile_n, sms):
    ### BEGIN SOLUTION
    tiles = math.ceil(m / tile_m) * math.ceil(n / tile_n)
    waves = math.ceil(tiles / sms)
    return m * n / (waves * sms * tile_m * tile_n)
    ### END SOLUTION


def faster(m, n, k, tpu, gpu):
    ### BEGIN SOLUTION
    on_tpu = tpu["flop_per_s"] * tpu_share(m, n, k, tpu["side"])
    on_gpu = gpu["flop_per_s"] * gpu_share(m, n, gpu["tile_m"], gpu["tile_n"], gpu["sms"])
    return "either" if on_tpu == on_gpu else "TPU" if on_tpu > on_gpu else "GPU"
    ### END SOLUTION


# %% role="check"
check("gpu-or-tpu", tpu_share, gpu_share, faster)

# %% [markdown]
# *See.* The useful share of square products, by their size. Each drop comes just above a size that
# fits: there the TPU needs one more piece in each direction, or the GPU one more wave.

# %%
see("gpu-or-tpu", tpu_share, gpu_share)
reveal("gpu-or-tpu")

# %% [markdown]
# *Reflect.* A vocabulary of 50,257 is often padded to 50,304, a multiple of 128, and training gets
# faster although it computes more numbers. Why? And which of your model's sizes would you round,
# before you choose a device?

# %% [markdown]
# ## What you take with you
#
# - The price of an hour says little. What counts is the price of the result, among all choices that
#   fit, meet the deadline and actually run.
# - A busy GPU takes less energy for a result than a CPU, although it draws more power, because it's
#   done so much sooner. One that waits costs the same by the hour.
# - Spot machines pay off if you save about as often as the interruptions demand. The minimum is
#   flat, so a rough interval will do.
#
# **Your number:** what your own run costs on the device that you chose. In a terminal, `gpuedu
# choose --layers 24 --width 1024 --tokens 10e9 --deadline 48` makes a table of the choices for your
# model, and `--prices` takes your own prices.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Devices: `devices.toml` in the course's package, with a document for each number.
# - Ember, Yearly Electricity Data (2024), through Our World in Data: grams of CO2 in 2023. Uptime
#   Institute, Global Data Center Survey 2024: the average PUE. Linux, power capping framework:
#   RAPL. NVIDIA, NVML API Reference Guide, `nvmlDeviceGetTotalEnergyConsumption`.
# - J. Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, Future
#   Generation Computer Systems 22, 2006, equation 13. J. Young, Communications of the ACM 17(9),
#   1974: the first guess.
# - J. Austin et al., How to Scale Your Model, "How to Think About TPUs": 8 rows at a time; "Key
#   Takeaways": weights are padded to 128 or 256 in both dimensions; appendix B: systolic arrays.
#   NVIDIA, Matrix Multiplication Background User's Guide, chapter 3: tile and wave quantization.
#   A. Karpathy, nanoGPT, `model.py`: a vocabulary padded to 50,304.
