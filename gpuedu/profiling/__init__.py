"""What anybody's training script does, line by line: ``gpuedu profile``.

- ``running``: runs the script as Python would, ends it, says what is wrong with it.
- ``session``: what is watched in which step; ``steps``: where a step ends.
- ``calls``: calls that wait or copy, and graphs that live on (``keeping``: in which variable);
  ``operators``: launches, FLOP and memory; ``loaders``: waits for data; ``evaluating``: models in
  eval mode; ``optimizers``; ``compiling``: graph breaks. They are the counters of
  ``gpuedu.training``, adapted to code that knows nothing of them.
- ``records``: what they record; ``findings`` (from ``call_findings`` and ``operator_findings``):
  what is costly; ``evidence``: what a finding needs; ``branches`` reads the script's conditions,
  ``lessons`` says which lesson teaches the remedy.
- ``summary``: the numbers of a step and of a line; ``text``, ``page``, ``trace``, ``as_json``:
  reports; ``command``: the command.

From Python::

    from gpuedu.profiling import watch_script
    from gpuedu.profiling.findings import find

    for finding in find(watch_script("train.py", ["--epochs", "1"])):
        print(finding.cost, finding.places[0][0].line, finding.lesson)
"""

from gpuedu.profiling.running import ScriptError, watch_script

__all__ = ["ScriptError", "watch_script"]
