"""The plug-in's automatic migration is not emulated: it rewrites torch.cuda at run time, which hides what a port must show."""
raise ImportError("torch_npu.contrib.transfer_to_npu is not part of the emulated device; port the source with `starbridge port`, "
                  "which rewrites the CUDA names in the files")
