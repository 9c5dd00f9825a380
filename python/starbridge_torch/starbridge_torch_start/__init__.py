"""What runs before torch does: the entry point and the stand-in for nvidia-smi. Importing it changes nothing."""
