# %% [markdown]
# # How does a model answer, one token at a time?
#
# A trained model that answers does two very different things. It reads your question in one go,
# and keeps the GPU as busy as training does. Then it writes, token by token, and every token takes
# a pass through all of its weights. In this lesson you find out what limits each of the two, and
# build what makes writing fast: a cache, smaller weights, and a second model that guesses ahead.
#
# **You will be able to** say what limits reading and writing; write a cache that changes nothing
# but the time; store weights in 8 and 4 bits; and draw tokens, also ahead of the model, from
# exactly the distribution that you want.
#
# **You need** to know what a roofline is, and how attention works. **Time** about 120 minutes.

# %% role="setup"
import numpy as np
import torch

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("inference")

# %% [markdown] exercise="speculative"
# ## Guess ahead, and keep the distribution
#
# **`speculative` · 8 points · about 30 minutes**
#
# Decide which guesses of a small model a large one keeps, so that the text comes out faster and
# still has exactly the large model's distribution. While a pass of the large model waits for its
# weights, a few more tokens in it cost next to nothing. So the small model, the **draft**, writes k
# guesses one after another, and the large one, the **target**, takes all of them in one pass. It
# returns k + 1 distributions: one for the place of each guess, and one for the token after the last
# guess. All of this together is a **round**.

# %% [markdown]
# *Predict.* Each guess is accepted with probability 0.8, and the first one that isn't ends the
# round, with a token of the target's own in its place. If all are accepted, the target adds one
# token, too. With k = 4, how many tokens does a round give on average?

# %% role="predict"
predict("speculative", 3.36)

# %% [markdown]
# In one place of the text, let `q` be the draft's distribution and `p` the target's, each with a
# probability for every token. A guess x was drawn from `q`. So tokens with q > p are guessed too
# often, and those with q < p not often enough. Two rules mend that:
#
# - x is accepted with probability min(1, p[x] / q[x]). Then the next guess has its turn.
# - If it is rejected, one token is drawn in its place from the **residual**, which is the positive
#   part of p - q divided by its sum. Later guesses are dropped, as they were made for another text.
#
# If all guesses are accepted, one token more is drawn from the last of the target's distributions,
# which is there anyway.


# %% role="given"
def draw(p, uniform):
    """The token of a distribution for which a number from [0, 1) stands."""
    return int(np.searchsorted(np.cumsum(p), uniform, side="right"))


# %% [markdown]
# *Implement* two functions, about 2 and 8 lines. `residual(p, q)` takes two different distributions
# and returns a third; all are float64 arrays with an element for each token. `verify` returns the
# list of tokens that a round gives. `tokens` is a list of k guesses, `q` has the shape (k, V) with
# a row for each of them, `p` has one row more, and `uniforms` has k + 1 numbers from [0, 1).
#
# - Guess i is accepted if `uniforms[i]` is less than p / q of its token. Guesses come out up to the
#   first one that is rejected, and one token more.
# - That token is drawn by `uniforms[k]`, with `draw`: from the residual in the place of the
#   rejected guess, or from the last row of `p`.
# - Over all guesses and all uniforms, the text has the target's distribution, also where p and q
#   are equal or have zeros. The arguments stay as they are.


# %% role="answer"
def residual(p, q):
    ### BEGIN SOLUTION
    missing = np.maximum(p - q, 0)
    return missing / missing.sum()
    ### END SOLUTION


def verify(tokens, q, p, uniforms):
    ### BEGIN SOLUTION
    came = []
    for i, token in enumerate(tokens):
        if uniforms[i] >= p[i, token] / q[i, token]:
            came.append(draw(residual(p[i], q[i]), uniforms[-1]))
            return came
        came.append(token)
    came.append(draw(p[-1], uniforms[-1]))
    return came
    ### END SOLUTION


# %% [markdown]
# *Implement* what a round is worth, in one line each. Every guess is accepted with probability
# `acceptance` (from 0 to 1), whatever became of the others.
#
# - `expected_tokens` returns how many tokens a round of k guesses gives on average, for k from 0.
# - `speedup` returns how many times as fast as the target alone that is. The target needs a pass
#   for each token then. A round takes one pass of the target, which is as long as any other, and k
#   of the draft. Each of those takes `draft_cost` of the target's time.
# - `best_k` returns the k with the largest speedup, from 0 (no guesses) to `most`; if it's the same
#   for several, the smallest of these.


# %% role="answer"
def expected_tokens(acceptance, k):
    ### BEGIN SOLUTION
    return sum(acceptance**i for i in range(k + 1))
    ### END SOLUTION


def speedup(acceptance, k, draft_cost):
    ### BEGIN SOLUTION
    return expected_tokens(acceptance, k) / (1 + k * draft_cost)
    ### END SOLUTION


def best_k(acceptance, draft_cost, most):
    ### BEGIN SOLUTION
    return max(range(most + 1), key=lambda k: speedup(acceptance, k, draft_cost))
    ### END SOLUTION


# %% role="check"
check("speculative", residual, verify, expected_tokens, speedup, best_k)

# %% [markdown]
# *See.* The first token of a text, over all guesses and uniforms: how often it comes as a guess
# that is kept, and how often in place of one. Below, what a round is worth; rings are your best k.

# %%
see("speculative", residual, verify)
see("inference/guesses", expected_tokens, speedup, best_k)
reveal("speculative")

# %% [markdown]
# *Reflect.* Why is the distribution exactly the target's? What is the probability that a guess is
# accepted? And when is it better not to guess at all?
#
# (The token x comes as an accepted guess with probability q · min(1, p / q), which is the smaller
# of p and q. Added up over all tokens, that is the probability of an acceptance. The rest, that of
# a rejection, is also the sum of the positive parts of p - q, by which the residual is divided. So
# x comes in place of a guess with probability p - min(p, q), and both together are p. If the
# acceptance is no larger than `draft_cost`, guessing doesn't pay. Nor does it where many texts keep
# the GPU busy with arithmetic: then k + 1 tokens take longer than one.)

# %% [markdown]
# ## What you take with you
#
# - Reading a prompt is limited by arithmetic. Writing is limited by bytes: the weights and the
#   cache are read for every token.
# - A cache, fewer bits and guesses that are checked all save bytes for each token. The first and
#   the last leave the text as it would have been.
# - Whatever is faster has to give the same distribution. You can prove that by counting.
#
# **Your number:** how many tokens a second one text can get at most from your own GPU.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Rounds, what is accepted, and the residual: Y. Leviathan, M. Kalman, Y. Matias, Fast Inference
#   from Transformers via Speculative Decoding, arXiv:2211.17192, section 2.3 and algorithm 1; that
#   it is exact: appendix A.1; tokens of a round: equation 1; the acceptance as a sum: corollary
#   3.6; the speedup: theorem 3.8; that it takes an acceptance above the draft's cost: corollary
#   3.9. C. Chen et al., Accelerating Large Language Model Decoding with Speculative Sampling,
#   arXiv:2302.01318, theorem 1, has the same rules, with q for the target and p for the draft.
