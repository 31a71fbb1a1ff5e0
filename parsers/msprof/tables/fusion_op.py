"""fusion_op_*.csv: which operators of a model were fused, and the memory of what came of it."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("fusion_op")
SHEET = Sheet(
    names={"fusion op": "name"},
    needs=("name", "original_ops"),
    texts=frozenset({"device", "model", "name", "original_ops"}),
    size="kb",
)


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """device model model_id name original_ops memory_{input,output,weight,workspace,total}_kb (KB = 1024 bytes, also
    where the file counts bytes). Raises ParseError.
    """
    return read_sheet(path, SHEET, progress)
