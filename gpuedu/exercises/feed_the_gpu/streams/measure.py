"""streams: what is measured on the learner's machine."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu.streams.pipeline_measure import measure_pipeline

MEASURE = measure_pipeline
