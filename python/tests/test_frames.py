"""Frames of pandas have the numbers of the command line, to the digit."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pandas
import pytest
from conftest import LOG, decided, printed

import crossover


def cell(value: Any) -> Any:
    """A cell without pandas: `None` where it is missing."""
    return None if pandas.isna(value) else value


def test_frame_has_a_row_for_today_and_for_each_option(shop: crossover.Decision) -> None:
    table = shop.to_frame()
    [raw] = decided(str(LOG))
    decision = raw["decision"]
    assert len(table) == 1 + len(decision["options"])
    today = table.iloc[0]
    baseline = decision["baseline"]
    assert (today["option"], bool(today["is_today"])) == (f"stay: {baseline['title']}", True)
    assert (today["seconds"], today["usd_per_hour"]) == (baseline["time"]["seconds"], baseline["price"]["usd_per_hour"])
    for (_, row), option in zip(table.iloc[1:].iterrows(), decision["options"], strict=True):
        candidate = option["candidate"]
        time, usd = candidate["time"] or {}, option["usd"] or {}
        expected = {
            "option": candidate["title"],
            "engine": candidate["engine"],
            "is_today": False,
            "seconds": time.get("seconds"),
            "seconds_low": (time.get("interval_seconds") or [None])[0],
            "seconds_high": (time.get("interval_seconds") or [None])[-1],
            "usd_per_hour": (candidate["price"] or {}).get("usd_per_hour"),
            "usd_per_run": usd.get("value"),
            "usd_per_run_low": (usd.get("interval") or [None])[0],
            "usd_per_run_high": (usd.get("interval") or [None])[-1],
            "saving_usd": option["saving"],
            "regret_usd": option["regret"],
            "saving_seconds": None,
            "regret_seconds": None,
            "likely_faster": option["faster"],
            "likely_cheaper": option["cheaper"],
            "likely_feasible": option["feasible"],
            "likely_to_meet_goal": option["better"],
            "is_efficient": option["is_efficient"],
            "blocked_by": candidate["blocked_by"],
        }
        assert {name: cell(row[name]) for name in expected} == expected
    recommended = table.index[table["is_recommended"]].tolist()
    # Today is the first row.
    best = [-1] if decision["best"] is None else [decision["best"], *(tie["other"] for tie in decision["near_ties"])]
    assert recommended == sorted(place + 1 for place in best)


def test_columns_have_types_and_units(shop: crossover.Decision) -> None:
    table = shop.to_frame()
    assert list(table.attrs["units"]) == list(table.columns)
    assert table.attrs["sentence"] == shop.sentence
    for name, unit in table.attrs["units"].items():
        if unit:
            assert table[name].dtype == "float64", name
        elif name.startswith("is_"):
            assert table[name].dtype in ("bool", "boolean"), name
    # Rows are chosen by a truth that today does not have.
    assert not table[table["is_efficient"]]["is_today"].any()
    # Numbers can be compared and sorted without a thought for what is missing.
    assert table.sort_values("usd_per_run")["option"].iloc[0] in set(table["option"])


def test_a_column_without_any_value_has_the_type_of_its_name() -> None:
    table = crossover.decide(LOG, query=6).to_frame().query("is_today")
    again = crossover.decide(LOG, query=6, least="time").to_frame()
    assert [str(table["saving_seconds"].dtype), str(again["saving_usd"].dtype)] == ["float64", "float64"]
    assert again["saving_usd"].isna().all() and not again["saving_seconds"].isna().all()


def test_queries_are_rows(shop: crossover.Decision) -> None:
    table = shop.queries_to_frame()
    [raw] = decided(str(LOG))
    assert table["query"].tolist() == [query["id"] for query in raw["queries"]]
    assert table["today_seconds"].tolist() == [query["seconds"] for query in raw["queries"]]
    for (_, row), query in zip(table.iterrows(), raw["queries"], strict=True):
        decision = query["decision"]
        assert row["verdict"] == decision["verdict"]
        best = None if decision["best"] is None else decision["options"][decision["best"]]
        assert cell(row["option"]) == (best and best["candidate"]["title"])
        assert cell(row["option_seconds"]) == (best and best["candidate"]["time"]["seconds"])
        assert cell(row["option_usd_per_run"]) == (best and best["usd"]["value"])
        assert cell(row["option_likely_to_meet_goal"]) == (best and best["better"])


def test_several_logs_are_one_frame() -> None:
    table = crossover.decide(LOG, LOG).to_frame()
    alone = crossover.decide(LOG).to_frame()
    assert table["file"].unique().tolist() == ["shop-eventlog.zstd"]
    for half in (table.iloc[: len(alone)], table.iloc[len(alone) :]):
        pandas.testing.assert_frame_equal(
            half.drop(columns=["file", "name"]).reset_index(drop=True), alone, check_like=True
        )


def test_log_without_a_decision_is_an_empty_frame(tmp_path: Path) -> None:
    # Of an application that a log begins with, and no more, nothing can be predicted.
    first = '{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}\n'
    start = '{"Event":"SparkListenerApplicationStart","App Name":"none","App ID":"app-1","Timestamp":1,"User":"u"}\n'
    end = '{"Event":"SparkListenerApplicationEnd","Timestamp":60001}\n'
    log = tmp_path / "eventlog"
    log.write_text(first + start + end)
    decision = crossover.decide(log)
    assert (decision.verdict, decision.baseline, decision.best, decision.likelihood) == (
        "cannot_judge",
        None,
        None,
        None,
    )
    assert decision.sentence.startswith("Cannot be judged: ")
    assert (len(decision.to_frame()), len(decision.queries_to_frame())) == (0, 0)


def test_fleet_is_the_table_of_the_command_line(tmp_path: Path) -> None:
    table = crossover.fleet(LOG.parent, out=tmp_path / "out")
    text = printed("fleet", str(LOG.parent), "--out", str(tmp_path / "other"), "--format", "csv")
    [row] = csv.DictReader(io.StringIO(text))
    assert len(table) == 1
    # What the costs are for is the same in all rows: the JSON has it once.
    del row["costs_per"]
    assert set(row) <= set(table.columns)
    for name, value in row.items():
        mine = table[name].iloc[0]
        if name == "blocked_by":
            assert "; ".join(mine) == value
        elif value == "":
            assert mine == "" or pandas.isna(mine), name
        elif isinstance(mine, float):
            assert mine == float(value), name
        else:
            assert mine == value, name
    answer = json.loads(printed("fleet", str(LOG.parent), "--out", str(tmp_path / "other"), "--format", "json"))
    assert table.attrs == {name: value for name, value in answer.items() if name != "list"}
    assert (tmp_path / "out/applications.parquet").is_file()
    # Without a folder the same, and none is left behind.
    pandas.testing.assert_frame_equal(crossover.fleet(LOG.parent), table)


def test_fleet_and_decide_recommend_the_same(shop: crossover.Decision) -> None:
    [application] = crossover.fleet(LOG).to_dict("records")
    assert shop.best is not None
    engines = [option.title.removesuffix(", same machines") for option in shop.options if option.is_recommended]
    recommended = f"{' or '.join(engines)}, both on the same machines"
    assert (application["verdict"], application["option"]) == (shop.verdict, recommended)
    assert application["likelihood"] == pytest.approx(shop.likelihood, rel=1e-12)
    assert application["option_seconds"] == pytest.approx(shop.best.seconds, rel=1e-12)


def test_fleet_without_a_log_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(crossover.Error, match="no event log in"):
        crossover.fleet(tmp_path)
    with pytest.raises(TypeError, match="a path"):
        crossover.fleet()


def test_without_pandas_a_frame_says_what_to_install(shop: crossover.Decision, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        shop.to_frame()
    assert crossover.decide(LOG) == shop
