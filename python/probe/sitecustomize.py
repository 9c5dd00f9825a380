"""Loaded by Python at start-up when python/probe is on PYTHONPATH: notes which files of the project run (see starbridge_probe.py).

A sitecustomize further down the path is still run.
"""

import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))

if os.environ.get("STARBRIDGE_PROBE_FOLDER"):
    import starbridge_probe

    starbridge_probe.install()

_rest = [entry for entry in sys.path if os.path.abspath(entry or ".") != _here]
_other = importlib.machinery.PathFinder.find_spec("sitecustomize", _rest)
if _other is not None and _other.loader is not None:
    _module = importlib.util.module_from_spec(_other)
    _other.loader.exec_module(_module)
