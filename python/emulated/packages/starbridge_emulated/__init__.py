"""An emulated NPU or MLU for PyTorch: the CPU's kernels behind a card's names, memory, dtypes and refusals."""
