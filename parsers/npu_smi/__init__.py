"""What npu-smi prints."""
