"""npuscope: live Ascend NPU utilization and per-operator profiles in one terminal."""

__version__ = "0.1.0"
