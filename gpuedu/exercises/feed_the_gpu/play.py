"""Plays of the lesson feed-the-gpu."""

from gpuedu.exercises.feed_the_gpu.play_augmenting import AUGMENTING_PLAYS
from gpuedu.exercises.feed_the_gpu.play_copying import COPYING_PLAYS
from gpuedu.exercises.feed_the_gpu.play_loading import LOADING_PLAYS
from gpuedu.exercises.feed_the_gpu.play_streams import STREAMS_PLAYS

PLAYS = {**LOADING_PLAYS, **COPYING_PLAYS, **AUGMENTING_PLAYS, **STREAMS_PLAYS}
