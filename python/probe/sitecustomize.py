"""Loaded by Python at start-up when python/probe is on PYTHONPATH: notes which files of the project run (see starbridge_probe.py).

A sitecustomize further down the path is still run.
"""

import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(_here), "hooks"))

if os.environ.get("STARBRIDGE_PROBE_FOLDER"):
    import starbridge_probe

    starbridge_probe.install()

# Only what comes later: one that looked over the whole path would find the one that called it, and that one this, without end.
_paths = [os.path.abspath(entry or ".") for entry in sys.path]
_rest = sys.path[_paths.index(_here) + 1 :] if _here in _paths else []
_other = importlib.machinery.PathFinder.find_spec("sitecustomize", _rest)
if _other is not None and _other.loader is not None:
    _module = importlib.util.module_from_spec(_other)
    _other.loader.exec_module(_module)

if os.environ.get("STARBRIDGE_PROBE_FOLDER"):
    import starbridge_reads
    import starbridge_seed

    # After the others: what they map is what a program reads.
    starbridge_reads.install(os.environ["STARBRIDGE_PROBE_FOLDER"], os.path.realpath(os.environ.get("STARBRIDGE_PROBE_PROJECT") or os.getcwd()) + os.sep)
    if os.environ.get("STARBRIDGE_PROBE_SEED", "").isdigit():
        starbridge_seed.install(int(os.environ["STARBRIDGE_PROBE_SEED"]))
