"""Loaded by Python at start-up when python/reference is on PYTHONPATH: prepares the reference run (see starbridge_reference.py).

A sitecustomize of the user's own, further down the path, is still run.
"""

import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))

if os.environ.get("STARBRIDGE_REFERENCE") == "1":
    import starbridge_reference

    starbridge_reference.install()

_rest = [entry for entry in sys.path if os.path.abspath(entry or ".") != _here]
_other = importlib.machinery.PathFinder.find_spec("sitecustomize", _rest)
if _other is not None and _other.loader is not None:
    _module = importlib.util.module_from_spec(_other)
    _other.loader.exec_module(_module)
