"""The wheel as it is installed."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from importlib import metadata
from pathlib import Path

from conftest import printed

import crossover

DISTRIBUTION = metadata.distribution("crossover-workbench")


def test_program_is_the_one_of_the_wheel() -> None:
    places = [Path(str(file.locate())).resolve() for file in DISTRIBUTION.files or []]
    assert crossover.program().resolve() in places
    assert printed("--version").split()[:2] == ["crossover", crossover.__version__]


def test_files_are_those_of_the_list() -> None:
    files = DISTRIBUTION.files or []
    names = {file.name for file in files}
    assert {"METADATA", "WHEEL", "RECORD", "LICENSE-MIT", "LICENSE-APACHE", "py.typed"} <= names
    # Python Packaging User Guide, "Recording installed projects": urlsafe-base64-nopad of the digest.
    with_digest = [file for file in files if file.hash and file.hash.mode == "sha256"]
    assert {"__init__.py", "METADATA", crossover.program().name} <= {file.name for file in with_digest}
    for file in with_digest:
        digest = hashlib.sha256(file.read_binary()).digest()
        assert file.hash and file.hash.value == urlsafe_b64encode(digest).rstrip(b"=").decode(), file


def test_nothing_else_is_required() -> None:
    assert DISTRIBUTION.metadata["Requires-Python"] == ">=3.10"
    required = DISTRIBUTION.requires or []
    assert [requirement for requirement in required if "extra ==" not in requirement] == []
    assert any(requirement.startswith("pandas") for requirement in required)
