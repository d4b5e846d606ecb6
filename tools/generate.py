#!/usr/bin/env python3
"""Writes what is derived from the operation catalog.

    lucid-tool catalog | tools/generate.py [--check] [ROOT]

The catalog comes on standard input. Written are python/lucid/_ops.py, docs/ops.md and the Swift
methods Sources/LucidCore/Tensor/Generated/Tensor+<Family>Operations.swift; with --check nothing is
written, and the exit status is 1 if a file is stale.
"""

from __future__ import annotations

import json
import keyword
import sys
from pathlib import Path
from typing import Any

Op = dict[str, Any]

# ---- Python -------------------------------------------------------------------------------------

PYTHON_HEAD = '''"""One function per operation of the catalog: operands, then attributes.

Written by tools/generate.py from the catalog; change that, not this.
"""

# ruff: noqa

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import TYPE_CHECKING, Any

from ._native import apply, apply_many, note_read
from ._symint import SymInt

if TYPE_CHECKING:
    from ._dtype import dtype as DType
    from ._tensor import Tensor

CATALOG_HASH = {hash}
COUNT = {count}

_ABSENT = bytes(8)
_largest = max  # the operation of this name hides the function below
_structs: dict[int, Struct] = {{}}


def _extents(shape: Sequence[Any]) -> list[int]:
    """The numbers of a shape as they are in this call, without fixing an open batch to them."""
    return [n.value if isinstance(n, SymInt) else n for n in shape]


def _words(values: Sequence[Any]) -> bytes:
    """Integers as little-endian 64-bit words."""
    count = len(values)
    struct = _structs.get(count)
    if struct is None:
        struct = _structs[count] = Struct(f"<{{count}}q")
    return struct.pack(*values)


def _ints(values: Sequence[Any]) -> bytes:
    return _words((len(values), *values))


def _floats(values: Sequence[float]) -> bytes:
    return Struct(f"<q{{len(values)}}d").pack(len(values), *values)


def _dims(values: Sequence[Any]) -> bytes:
    """Extents, each as constant and coefficient of the batch."""
    words: list[Any] = [len(values)]
    for value in values:
        if isinstance(value, SymInt):
            words += (value.constant, value.coefficient)
        else:
            words += (value, 0)
    return _words(words)


def _choices(words: str) -> dict[str, int]:
    return {{word: number for number, word in enumerate(words.split())}}


def _word(name: str, words: dict[str, int], value: str) -> int:
    """The number of one of the words an attribute can be."""
    try:
        return words[value]
    except (KeyError, TypeError):
        raise ValueError(f"{{name}} must be one of {{', '.join(words)}}, got {{value!r}}") from None


_q = Struct("<q").pack
_qq = Struct("<qq").pack
_qd = Struct("<qd").pack
'''

PYTHON_TYPES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "dtype": "DType",
    "ints": "Sequence[int]",
    "floats": "Sequence[float]",
    "dims": "Sequence[int]",
}


def python_type(kind: Any) -> str:
    if isinstance(kind, dict):
        return "str" if "choice" in kind else python_type(kind["optional"]) + " | None"
    return PYTHON_TYPES[kind]


def python_name(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


def python_default(attribute: Op) -> str:
    value = attribute["default"]
    if value is not None and attribute["type"] == "dtype":
        return "None"
    if isinstance(value, list):
        return "(" + ", ".join(map(repr, value)) + ("," if len(value) == 1 else "") + ")"
    return json_literal(value)


def json_literal(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value)


def scalar(attribute: Op) -> tuple[str, str] | None:
    """Struct code and expression of an attribute of one word; nil for others."""
    name, kind = python_name(attribute["name"]), attribute["type"]
    if kind in ("int", "bool"):
        return "q", name
    if kind == "float":
        return "d", name
    if kind == "dtype":
        default = attribute.get("default")
        number = f"{name}._number"
        if default is not None:
            number = f"{DTYPES[default]} if {name} is None else {number}"
        return "q", number
    if isinstance(kind, dict) and "choice" in kind:
        return "q", f'_word("{attribute["name"]}", {choices_name(attribute)}, {name})'
    return None


def choices_name(attribute: Op) -> str:
    words = attribute["type"]["choice"]
    return f"_{attribute['name']}_{'_'.join(words[:2])}".upper().replace("-", "_")


DTYPES = {
    name: number
    for number, name in enumerate(
        ["float32", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "bool"]
    )
}


def part(attribute: Op) -> str:
    """The bytes of an attribute that is a list or optional."""
    name, kind = python_name(attribute["name"]), attribute["type"]
    if kind in ("ints", "floats", "dims"):
        return f"_{kind}({name})"
    inner = kind["optional"]
    present = {
        "int": f"_qq(1, {name})",
        "bool": f"_qq(1, {name})",
        "float": f"_qd(1, {name})",
        "dtype": f"_qq(1, {name}._number)",
        "ints": f"_q(1) + _ints({name})",
        "floats": f"_q(1) + _floats({name})",
        "dims": f"_q(1) + _dims({name})",
    }[inner]
    return f"_ABSENT if {name} is None else {present}"


def python_bytes(op: Op, structs: dict[str, str]) -> list[str]:
    """The terms whose sum encodes the attributes."""
    parts: list[str] = []
    codes: list[str] = []
    values: list[str] = []

    def flush() -> None:
        if codes:
            form = "".join(codes)
            structs[form] = f'_{form} = Struct("<{form}").pack'
            parts.append(f"_{form}({', '.join(values)})")
            codes.clear()
            values.clear()

    for attribute in op["attributes"]:
        single = scalar(attribute)
        if single is None:
            flush()
            parts.append(f"({part(attribute)})" if len(op["attributes"]) > 1 else part(attribute))
        else:
            if isinstance(attribute["type"], dict):
                words = " ".join(attribute["type"]["choice"])
                constant = choices_name(attribute)
                structs[constant] = f'{constant} = _choices("{words}")'
            codes.append(single[0])
            values.append(single[1])
    flush()
    return parts or ['b""']


def python_function(op: Op, structs: dict[str, str]) -> str:
    parameters: list[str] = []
    passed: list[str] = []
    variadic = False
    for operand in op["operands"]:
        name = python_name(operand["name"])
        if operand["kind"] == "variadic":
            parameters.append(f"*{name}: Any")
            passed.append(f"*{name}")
            variadic = True
        elif operand["kind"] == "optional":
            parameters.append(f"{name}: Any = None")
            passed.append(name)
        else:
            parameters.append(f"{name}: Any")
            passed.append(name)
    optional_operand = any(o["kind"] == "optional" for o in op["operands"])
    open_default = optional_operand
    for attribute in op["attributes"]:
        name = python_name(attribute["name"])
        hint = python_type(attribute["type"])
        if "default" in attribute:
            open_default = True
            if attribute["type"] == "dtype":
                hint += " | None"
            parameters.append(f"{name}: {hint} = {python_default(attribute)}")
        elif open_default and not variadic:
            if "*" not in parameters:
                parameters.append("*")
            parameters.append(f"{name}: {hint}")
        else:
            parameters.append(f"{name}: {hint}")
    many = op["results"] != 1
    result = "tuple[Tensor, ...]" if many else "Tensor"
    head = f"def {python_name(op['name'])}({', '.join(parameters)}) -> {result}:"
    if len(head) > 100:
        lines = "".join(f"    {p},\n" for p in parameters)
        head = f"def {python_name(op['name'])}(\n{lines}) -> {result}:"
    terms = python_bytes(op, structs)
    arguments = [str(op["id"]), " + ".join(terms)]
    if many:
        arguments.append(str(op["results"]) if op["results"] is not None else capacity(op))
    arguments += passed
    call = f"{'apply_many' if many else 'apply'}({', '.join(arguments)})"
    body = f"    return {call}"
    if len(body) > 100:
        if len(arguments[1]) > 91:
            arguments[1] = "\n        + ".join(terms)
        lines = "".join(f"        {a},\n" for a in arguments)
        body = f"    return {'apply_many' if many else 'apply'}(\n{lines}    )"
    doc = op["doc"].replace("\\", "\\\\")
    if op["kind"] == "host":
        body = "    note_read()\n" + body
    return f'{head}\n    """{doc}"""\n{body}\n'


def capacity(op: Op) -> str:
    """An upper bound of the number of results."""
    bounds = ["1"]
    for operand in op["operands"]:
        name = python_name(operand["name"])
        many = operand["kind"] == "variadic"
        bounds.append(f"len({name})" if many else f"*_extents({name}.shape)")
    for attribute in op["attributes"]:
        name, kind = python_name(attribute["name"]), attribute["type"]
        if kind in ("ints", "dims"):
            bounds.append(f"len({name}) + 1")
        elif isinstance(kind, dict) and kind.get("optional") == "int":
            bounds.append(f"{name} or 1")
    return f"_largest({', '.join(bounds)})"


def python_source(catalog: Op) -> str:
    structs: dict[str, str] = {}
    functions = [python_function(op, structs) for op in catalog["ops"]]
    for known in ("q", "qq", "qd"):
        structs.pop(known, None)
    head = PYTHON_HEAD.format(hash=catalog["hash"], count=catalog["count"])
    extra = "".join(line + "\n" for _, line in sorted(structs.items()))
    return head + extra + "\n\n" + "\n\n".join(functions)


# ---- Documentation ------------------------------------------------------------------------------


def doc_type(kind: Any) -> str:
    if isinstance(kind, dict):
        if "choice" in kind:
            return "one of " + ", ".join(f"`{w}`" for w in kind["choice"])
        return f"{doc_type(kind['optional'])}, optional"
    return str(kind)


def signature(op: Op) -> str:
    marks = {"required": "", "optional": "?", "variadic": "…"}
    names = [o["name"] + marks[o["kind"]] for o in op["operands"]]
    for attribute in op["attributes"]:
        default = f"={json_literal(attribute['default'])}" if "default" in attribute else ""
        names.append(attribute["name"] + default)
    return f"{op['name']}({', '.join(names)})"


def documentation(catalog: Op) -> str:
    lines = [
        "# Operations",
        "",
        "Written by `tools/generate.py` from the catalog. Operands come first, attributes after",
        "them; `?` marks an operand that may be left out, `…` any number of operands. Error",
        "messages cite the constraints C1, C2, … of the operation they name.",
        "",
    ]
    family = None
    for op in catalog["ops"]:
        if op["family"] != family:
            family = op["family"]
            lines += [f"## {family}", ""]
        lines += [f"### `{signature(op)}`", "", op["doc"]]
        notes = []
        if op["view"]:
            notes.append("The result is a view of the first operand.")
        if op["draws"]:
            notes.append("Draws random numbers.")
        if op["kind"] == "host":
            notes.append("Runs on the host: the size of its result depends on values.")
        if op["results"] not in (1, None):
            notes.append(f"Gives {op['results']} results.")
        if notes:
            lines += ["", " ".join(notes)]
        described = [a for a in op["attributes"] if isinstance(a["type"], dict)]
        if described:
            lines.append("")
            lines += [f"- `{a['name']}`: {doc_type(a['type'])}" for a in described]
        if op["constraints"]:
            lines.append("")
            lines += [f"- C{i}: {text}" for i, text in enumerate(op["constraints"], 1)]
        lines.append("")
    return "\n".join(lines)


# ---- Swift --------------------------------------------------------------------------------------

SWIFT_TYPES = {
    "int": "Int",
    "float": "Double",
    "bool": "Bool",
    "dtype": "DType",
    "ints": "[Int]",
    "floats": "[Double]",
    "dims": "[Dim]",
}
#: Operations that Tensor offers in a form of its own.
HAND_WRITTEN = {"detach"}
SWIFT_KEYWORDS = {"where", "repeat", "any", "in", "is", "as", "var", "self", "default"}


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(w[:1].upper() + w[1:] for w in rest)


def swift_name(name: str) -> str:
    word = camel(name)
    return f"`{word}`" if word in SWIFT_KEYWORDS else word


def swift_type(kind: Any) -> str:
    if isinstance(kind, dict):
        return "String" if "choice" in kind else swift_type(kind["optional"]) + "?"
    return SWIFT_TYPES[kind]


def swift_default(value: Any, kind: Any) -> str:
    if value is None:
        return "nil"
    if kind == "dtype":
        return f".{value}"
    if kind == "bool":
        return "true" if value else "false"
    return json_literal(value)


def swift_value(attribute: Op, kind: Any, name: str) -> str:
    if isinstance(kind, dict):
        if "choice" in kind:
            words = ", ".join(f'"{w}"' for w in kind["choice"])
            return f'try .word({name}, "{attribute["name"]}", [{words}])'
        inner = swift_value(attribute, kind["optional"], "$0").replace("try ", "")
        return f"{name}.map {{ Attribute{inner} }} ?? Attribute.none"
    if kind == "float":
        return f".float({name} as Double)"
    if kind == "floats":
        return f".floats({name}.map(\\.bitPattern))"
    return f".{kind}({name})"


def swift_method(op: Op) -> str:
    operands = op["operands"]
    is_static = not operands or operands[0]["kind"] == "variadic"
    parameters: list[str] = []
    names = ["self" if i == 0 else swift_name(o["name"]) for i, o in enumerate(operands)]
    single = f"[{', '.join(names)}]"
    for i, operand in enumerate(operands):
        if i == 0 and not is_static:
            continue
        name = swift_name(operand["name"])
        label = f"_ {name}" if i <= 1 else name
        kind = {"required": "Tensor", "optional": "Tensor? = nil", "variadic": "[Tensor]"}
        parameters.append(f"{label}: {kind[operand['kind']]}")
    if operands and operands[-1]["kind"] == "variadic":
        fixed = names[:-1]
        many = camel(operands[-1]["name"])
        single = f"[{', '.join(fixed)}] + {many}" if fixed else many
    elif not operands:
        single = "[]"
    values: list[str] = []
    for attribute in op["attributes"]:
        name, kind = swift_name(attribute["name"]), attribute["type"]
        default = ""
        if "default" in attribute:
            default = f" = {swift_default(attribute['default'], kind)}"
        parameters.append(f"{name}: {swift_type(kind)}{default}")
        values.append(swift_value(attribute, kind, name))
    result = "Tensor" if op["results"] == 1 else "[Tensor]"
    head = f"  public {'static ' if is_static else ''}func {swift_name(op['name'])}("
    flat = f"{head}{', '.join(parameters)}) throws(LucidError) -> {result} {{"
    if len(flat) > 100:
        wrapped = wrap(parameters, "    ", 100)
        flat = f"{head}\n{wrapped}\n  ) throws(LucidError) -> {result} {{"
    tail = ")[0]" if op["results"] == 1 else ")"
    operands_text = f'"{op["name"]}", {single}'
    listed = f", [{', '.join(values)}]" if values else ""
    body = f"    try Tensor.apply({operands_text}{listed}{tail}"
    if len(body) > 100:
        lines = wrap(values, "        ", 99)
        comma = "," if len(values) > 1 else ""
        body = f"    try Tensor.apply(\n      {operands_text},\n      [\n{lines}{comma}"
        body += f"\n      ]{tail}"
    return f"  /// {op['doc']}\n{flat}\n{body}\n  }}\n"


def wrap(items: list[str], indent: str, width: int) -> str:
    lines = [indent]
    for i, item in enumerate(items):
        if len(indent + item) >= width:
            item = item.replace(", [", f",\n{indent}  [").replace(".word(", f".word(\n{indent}  ")
        text = item + ("," if i + 1 < len(items) else "")
        glue = "" if lines[-1] == indent else " "
        if len(lines[-1]) + len(glue) + len(text) > width and lines[-1] != indent:
            lines.append(indent + text)
        else:
            lines[-1] += glue + text
    return "\n".join(lines)


def swift_sources(catalog: Op) -> dict[str, str]:
    files: dict[str, list[str]] = {}
    for op in catalog["ops"]:
        if op["name"] not in HAND_WRITTEN:
            files.setdefault(op["family"], []).append(swift_method(op))
    note = "// Written by tools/generate.py from the operation catalog; change that, not this.\n\n"
    return {
        f"Sources/LucidCore/Tensor/Generated/Tensor+{family}Operations.swift": note
        + "extension Tensor {\n"
        + "\n".join(methods)
        + "}\n"
        for family, methods in files.items()
    }


def main() -> int:
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent)
    catalog = json.load(sys.stdin)
    outputs = {
        "python/lucid/_ops.py": python_source(catalog),
        "docs/ops.md": documentation(catalog),
        **swift_sources(catalog),
    }
    stale = 0
    for name, text in outputs.items():
        path = root / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if "--check" in sys.argv:
            print(f"{name} is stale: run `make generate`")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
