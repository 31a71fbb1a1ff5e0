"""One file type of msprof, torch_npu and msprof op a module."""
