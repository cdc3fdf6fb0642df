"""The module in a real Jupyter kernel, and the Python of the documents."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from conftest import ROOT, printed
from nbclient import NotebookClient

import crossover

#: The log that the documents read, from the folder of the repository.
LOG = "plan/samples/spark/shop-eventlog.zstd"


def run(*cells: str) -> list[Any]:
    """The outputs of cells that a kernel runs one after the other, in the folder of the repository."""
    # nbformat has no types.
    code = [nbformat.v4.new_code_cell(cell) for cell in cells]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=code)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, kernel_name="python3", timeout=60, resources={"metadata": {"path": str(ROOT)}}).execute()
    return [cell["outputs"] for cell in notebook["cells"]]


def shown(outputs: list[Any]) -> dict[str, str]:
    """The one result of a cell, by its type."""
    [result] = [output for output in outputs if output["output_type"] == "execute_result"]
    data: dict[str, str] = result["data"]
    return data


class Words(HTMLParser):
    """The elements and the words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_notebook_shows_the_report_and_the_frame() -> None:
    _, report, frame, sentence = run(
        "import crossover",
        f'decision = crossover.decide("{LOG}")\ndecision',
        "decision.to_frame()",
        "print(decision.sentence)",
    )
    decision = crossover.decide(ROOT / LOG)
    assert sentence[0]["text"] == decision.sentence + "\n"

    page = Words(shown(report)["text/html"])
    words = " ".join("".join(page.words).split())
    assert decision.sentence in words
    assert all(option.title in words for option in decision.options)
    # Only what the program writes between the tags of its body, and nothing that runs.
    assert not {"html", "head", "style", "script", "body"} & set(page.elements) and "table" in page.elements
    assert "mathjax_ignore" in shown(report)["text/html"]
    body = re.search(r"<body>(.*)</body>", printed("decide", str(ROOT / LOG), "--format", "html"), re.DOTALL)
    assert body is not None and body[1] in shown(report)["text/html"]

    table = Words(shown(frame)["text/html"])
    assert table.elements.count("tr") == 1 + 1 + len(decision.options)
    assert "likely_to_meet_goal" in table.words


def test_error_of_the_program_is_shown_in_the_notebook() -> None:
    _, outputs = run(
        "import crossover",
        "try:\n    crossover.decide('nowhere.log')\nexcept crossover.Error as error:\n    print(error)",
    )
    assert outputs[0]["text"].startswith("cannot read nowhere.log: ")


@pytest.mark.parametrize("document", ["README.md", "docs/NOTEBOOKS.md"])
def test_python_of_the_documents_runs(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert blocks, f"{document} has no Python"
    # An exception in a cell is one of the client, which names it.
    assert len(run(*blocks)) == len(blocks)
