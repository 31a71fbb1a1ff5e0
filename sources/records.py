"""Frozen records as JSON by their declared types; the arrays of their tables go elsewhere, through `put` and `get`.

Nothing is ever taken on trust: what does not fit the declared type raises DamagedError, and no byte is executed.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from npuscope.parsers.table import Strings, Table
from npuscope.sources.mapped import DamagedError

T = TypeVar("T")
Json = Any
Put = Callable[[Any], Json]
Get = Callable[[Json], Any]

_SCALARS: dict[str, tuple[type, ...]] = {
    "str": (str,), "int": (int,), "float": (float, int), "bool": (bool,), "Value": (str, float, int, bool, type(None)),
}  # fmt: skip


class Coder(Protocol):
    """Both directions of one type."""

    def pack(self, value: Any, put: Put) -> Json:
        """As JSON. Raises TypeError where the value is not of the type."""

    def unpack(self, json: Json, get: Get) -> Any:
        """The value again. Raises DamagedError."""


def pack(record: Any, put: Put) -> Json:
    """A record as JSON; `put` keeps an array and says what stands for it. Raises TypeError."""
    return _of_class(type(record)).pack(record, put)


def unpack(kind: type[T], json: Json, get: Get) -> T:
    """The record again; `get` brings an array back. Raises DamagedError."""
    record: T = _of_class(kind).unpack(json, get)
    return record


@dataclasses.dataclass(frozen=True)
class _Scalar:
    kinds: tuple[type, ...]

    def pack(self, value: Any, put: Put) -> Json:
        value = value.item() if hasattr(value, "item") else value
        return _checked(value, self.kinds, TypeError)

    def unpack(self, json: Json, get: Get) -> Any:
        return _checked(json, self.kinds, DamagedError)


@dataclasses.dataclass(frozen=True)
class _Optional:
    inner: Coder

    def pack(self, value: Any, put: Put) -> Json:
        return None if value is None else self.inner.pack(value, put)

    def unpack(self, json: Json, get: Get) -> Any:
        return None if json is None else self.inner.unpack(json, get)


@dataclasses.dataclass(frozen=True)
class _Many:
    inner: Coder

    def pack(self, value: Any, put: Put) -> Json:
        return [self.inner.pack(item, put) for item in _checked(value, (tuple,), TypeError)]

    def unpack(self, json: Json, get: Get) -> Any:
        return tuple([self.inner.unpack(item, get) for item in _checked(json, (list,), DamagedError)])


@dataclasses.dataclass(frozen=True)
class _Few:
    """A tuple of a known length."""

    inner: tuple[Coder, ...]

    def pack(self, value: Any, put: Put) -> Json:
        if len(_checked(value, (tuple,), TypeError)) != len(self.inner):
            raise TypeError(f"{len(self.inner)} values belong into {value!r}")
        return [coder.pack(item, put) for coder, item in zip(self.inner, value)]

    def unpack(self, json: Json, get: Get) -> Any:
        items = _listed(json, len(self.inner))
        return tuple([coder.unpack(item, get) for coder, item in zip(self.inner, items)])


@dataclasses.dataclass(frozen=True)
class _Mapping:
    """A list of pairs: the keys need not be text, and keep their order."""

    key: Coder
    value: Coder

    def pack(self, value: Any, put: Put) -> Json:
        return [[self.key.pack(k, put), self.value.pack(v, put)] for k, v in dict(value).items()]

    def unpack(self, json: Json, get: Get) -> Any:
        pairs = [_listed(pair, 2) for pair in _checked(json, (list,), DamagedError)]
        return {self.key.unpack(k, get): self.value.unpack(v, get) for k, v in pairs}


class _Tables:
    """Columns by name: [name, array] for numbers, [name, array, texts] for text."""

    def pack(self, value: Any, put: Put) -> Json:
        return [
            [name, put(column.codes), list(column.values)] if isinstance(column, Strings) else [name, put(column)]
            for name, column in _checked(value, (Table,), TypeError).columns.items()
        ]

    def unpack(self, json: Json, get: Get) -> Any:
        columns: dict[str, Any] = {}
        for entry in _checked(json, (list,), DamagedError):
            name, array, *texts = _listed(entry, 2, 3)
            column = get(array)
            if texts and column.dtype.kind != "i":
                raise DamagedError("codes that are none")
            columns[_checked(name, (str,), DamagedError)] = Strings(column, _texts(texts[0])) if texts else column
        if len({len(column) for column in columns.values()}) > 1:
            raise DamagedError("columns of different lengths")
        return Table(columns)


@dataclasses.dataclass(frozen=True)
class _Record:
    """Fields in their order."""

    kind: Any

    def pack(self, value: Any, put: Put) -> Json:
        coders = _fields(self.kind)
        if type(value) is not self.kind:
            raise TypeError(f"{value!r} is no {self.kind.__name__}")
        return [coder.pack(getattr(value, name), put) for name, coder in coders]

    def unpack(self, json: Json, get: Get) -> Any:
        coders = _fields(self.kind)
        values = _listed(json, len(coders))
        return self.kind(**{name: coder.unpack(value, get) for (name, coder), value in zip(coders, values)})


def _of_class(kind: type) -> Coder:
    if kind is Table:
        return _Tables()
    if not dataclasses.is_dataclass(kind):
        raise TypeError(f"{kind!r} is no record")
    return _Record(kind)


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, Coder], ...]:
    names = vars(sys.modules[kind.__module__])
    fields = [field for field in dataclasses.fields(kind) if field.init]
    return tuple((field.name, _of(ast.parse(str(field.type), mode="eval").body, names)) for field in fields)


def _of(node: ast.expr, names: Mapping[str, Any]) -> Coder:
    """The coder of an annotation as it is written: X, X | None, tuple[X, ...], tuple[X, Y], Mapping[X, Y]."""
    if isinstance(node, ast.BinOp) and _is_constant(node.right, None):
        return _Optional(_of(node.left, names))
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Tuple):
        of = [_of(inner, names) for inner in node.slice.elts if not _is_constant(inner, ...)]
        if node.value.id == "Mapping" and len(of) == 2:
            return _Mapping(*of)
        if node.value.id == "tuple":
            return _Few(tuple(of)) if len(of) == len(node.slice.elts) else _Many(*of)
    if isinstance(node, ast.Name):
        if node.id in _SCALARS:
            return _Scalar(_SCALARS[node.id])
        # Table is imported for type checkers only where numpy must not be
        return _of_class(Table if node.id == "Table" else names.get(node.id, object))
    raise TypeError(f"no record holds {ast.dump(node)}")


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _checked(value: Any, kinds: tuple[type, ...], error: type[Exception]) -> Any:
    # True is an int to Python
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise error(f"{type(value).__name__} where {' or '.join(kind.__name__ for kind in kinds)} belongs")
    return value


def _listed(json: Json, *lengths: int) -> list[Json]:
    if not isinstance(json, list) or len(json) not in lengths:
        raise DamagedError("a list of another length")
    return json


def _texts(json: Json) -> tuple[str, ...]:
    if not isinstance(json, list) or not all(isinstance(text, str) for text in json):
        raise DamagedError("texts that are none")
    return tuple(json)
