"""All targets by name."""

from __future__ import annotations

import fuzz_csv
import fuzz_db
import fuzz_folders
import fuzz_json

TARGETS = {target.name: target for module in (fuzz_csv, fuzz_json, fuzz_db, fuzz_folders) for target in module.TARGETS}
