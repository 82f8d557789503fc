// Charts show the numbers of their results: read from the charts themselves and from the CSV files.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { close_browser, figure, make_page, near, open_browser, save_csv, series_of, sum, with_page } from "./browser.js";
import * as documents from "./documents.js";

before(open_browser);
after(close_browser);

const cells_of = (series) => series.find((one) => one.id === "cells").data;
const named = (series, name) => series.find((one) => one.name === name);

test("the timeline has every call, and zoom keeps those of its window", async () => {
  const document = documents.trace();
  const total = sum(document.timeline.rows.flatMap((row) => Object.values(row.kinds).flatMap((kind) => kind.calls)));
  await with_page(make_page("numbers-trace", document), "light", async (page) => {
    const all = cells_of(await series_of(page, "Timeline"));
    assert.equal(sum(all.map((cell) => cell[5])), total);
    assert.equal(new Set(all.map((cell) => cell[2])).size, documents.ranks);
    for (let i = 0; i < 4; ++i) await figure(page, "Timeline").getByRole("button", { name: "Zoom in" }).click();
    await page.waitForTimeout(300);
    const near_by = cells_of(await series_of(page, "Timeline"));
    const [from, to] = [Math.min(...near_by.map((cell) => cell[0])), Math.max(...near_by.map((cell) => cell[1]))];
    assert.ok(to - from < 0.15, `still ${to - from} s wide`);
    assert.ok(Math.max(...near_by.map((cell) => cell[1] - cell[0])) < Math.min(...all.map((cell) => cell[1] - cell[0])), "no finer than before");
    const bin = document.timeline.bin_ns / 1e9;
    const expected = sum(document.timeline.rows.flatMap((row) => Object.values(row.kinds).flatMap((kind) => kind.calls.filter((_, i) => kind.bin[i] * bin >= from - 1e-9 && kind.bin[i] * bin < to - 1e-9))));
    assert.equal(sum(near_by.map((cell) => cell[5])), expected);
    await figure(page, "Timeline").locator("select").selectOption({ label: "read" });
    await figure(page, "Timeline").getByRole("button", { name: "whole run" }).click();
    await page.waitForTimeout(300);
    assert.deepEqual([...new Set(cells_of(await series_of(page, "Timeline")).map((cell) => cell[3]))], [0]);
    const csv = await save_csv(page, "Timeline");
    assert.equal(sum(csv.rows.map((row) => Number(row[csv.columns.indexOf("calls")]))), total);
  });
});

test("the pointer is told of the cell below it", async () => {
  await with_page(make_page("numbers-pointer", documents.trace()), "light", async (page) => {
    for (const [title, row_of] of [["Timeline", (cell) => cell[2]], ["Which bytes of a file", (cell) => 0.5 * (cell[2] + cell[3])]]) {
      const box = figure(page, title).locator(".chart");
      await series_of(page, title);
      await box.evaluate((one) => one.chart.dispatchAction({ type: "dataZoom", start: 40, end: 48 })); // cells of many pixels
      const seen = await box.evaluate((one) => [one.chart.convertFromPixel({ gridIndex: 0 }, [0.2 * one.clientWidth, 0])[0], one.chart.convertFromPixel({ gridIndex: 0 }, [0.8 * one.clientWidth, 0])[0]]);
      const cells = (await box.evaluate((one) => one.cells())).filter((one) => one[0] >= seen[0] && one[1] <= seen[1]);
      const cell = cells[Math.floor(0.4 * cells.length)];
      const [x, y] = await box.evaluate((one, at) => one.chart.convertToPixel({ gridIndex: 0 }, at), [0.5 * (cell[0] + cell[1]), row_of(cell)]);
      await box.hover({ position: { x: x - 3, y } });
      await box.hover({ position: { x, y } });
      const told = await box.locator(".tip").innerText();
      assert.match(told, new RegExp(`rank ${title === "Timeline" ? cell[2] : cell[4]}\\b`));
      assert.match(told, new RegExp(title === "Timeline" ? `calls\\s+${cell[5]}\\b` : `accesses\\s+${cell[7]}\\b`));
    }
  });
});

test("keys move and zoom the timeline", async () => {
  await with_page(make_page("numbers-keys", documents.trace()), "light", async (page) => {
    await series_of(page, "Timeline");
    const box = figure(page, "Timeline").locator(".chart");
    const window_of = () => box.evaluate((one) => { const zoom = one.chart.getOption().dataZoom[0]; return [zoom.start, zoom.end]; });
    await box.focus();
    await page.keyboard.press("+");
    assert.deepEqual((await window_of()).map(Math.round), [25, 75]);
    await page.keyboard.press("ArrowRight");
    assert.deepEqual((await window_of()).map((one) => Math.round(10 * one)), [375, 875]);
    await page.keyboard.press("0");
    assert.deepEqual((await window_of()).map(Math.round), [0, 100]);
  });
});

test("what the trace's other views show is what weir stat tells", async () => {
  const document = documents.trace();
  await with_page(make_page("numbers-stat", document), "light", async (page) => {
    const functions = await series_of(page, "Calls and bytes per function");
    assert.equal(Math.max(...named(functions, "posix").data.filter((value) => value !== null)), 3.2e9);
    near(Math.max(...named(functions, "mpiio").data.filter((value) => value !== null)), 1e7); // without the calls inside it
    await figure(page, "Calls and bytes per function").locator("select").selectOption({ label: "calls" });
    assert.equal(Math.max(...named(await series_of(page, "Calls and bytes per function"), "posix").data.filter((value) => value !== null)), 64000);
    const matrix = (await series_of(page, "Who sends to whom"))[0].data;
    assert.equal(matrix.length, document.communication.channels.length);
    assert.equal(sum(matrix.map((cell) => cell[2])), sum(document.communication.channels.map((one) => one.bytes)));
    const map = cells_of(await series_of(page, "Which bytes of a file"));
    assert.equal(sum(map.map((cell) => cell[6])), sum(document.access_maps[0].written_bytes));
    assert.equal(Math.max(...(await series_of(page, "What the trace costs"))[0].data), 30100);
  });
});

test("fits: histogram, density, all families, quantiles, BIC", async () => {
  const document = documents.fit();
  const group = document.groups[0];
  await with_page(make_page("numbers-fit", document), "light", async (page) => {
    const histogram = await series_of(page, "Histogram and fitted density");
    const bars = named(histogram, "runs").data;
    assert.equal(sum(bars.map((bar) => bar[3])), group.n);
    near(sum(bars.map((bar) => bar[2] * (bar[1] - bar[0]))), 1, 1e-9);
    const normal = (x, mean, sd) => Math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI));
    for (const [x, y] of named(histogram, "fitted density").data) near(y, (2 / 3) * normal(x, 100, 6) + normal(x, 140, 10) / 3, 1e-9);
    for (const [x, y] of named(histogram, "component 2 (33.3 %)").data) near(y, normal(x, 140, 10) / 3, 1e-9);
    const ecdf = await series_of(page, "Cumulative distribution");
    assert.deepEqual(ecdf.map((one) => one.name), ["runs", "normal × 2", "lognormal × 2", "gamma × 1", "weibull × 1"]);
    for (const [x, y] of named(ecdf, "weibull × 1").data) near(y, 1 - Math.exp(-Math.exp((Math.log(x) - 4.79) / 0.15)), 1e-9);
    const quantiles = await series_of(page, "Quantiles of the runs");
    assert.equal(named(quantiles, "outside").data.length, 3);
    assert.equal(named(quantiles, "inside the band").data.length, 897);
    const bic = await save_csv(page, "Models by BIC");
    assert.deepEqual(bic.rows[1], ["lognormal", "2", "7004.25", "3.75", "-3502.125", "true"]);
    assert.match(await page.locator("section").first().innerText(), /seed 11/);
    await page.getByLabel("Group").selectOption({ index: 1 });
    assert.match(await page.locator("section").first().innerText(), /could not be fitted: 3 values are too few/);
  });
});

test("extremes: shares, return levels with their intervals", async () => {
  const document = documents.extreme();
  await with_page(make_page("numbers-extreme", document), "light", async (page) => {
    const shares = named(await series_of(page, "Cumulative share, observed against modelled"), "runs").data;
    assert.equal(shares.length, 200);
    document.groups[0].plot.ecdf.forEach(({ x, share }, i) => {
      near(shares[i][0], Math.exp(-((1 + 0.11 * (x - 0.0151) / 0.0006) ** (-1 / 0.11))), 1e-9);
      near(shares[i][1], share);
    });
    const levels = await series_of(page, "Return levels");
    assert.deepEqual(named(levels, "return level").data.map((point) => Math.round(point[0])), [10, 100, 1000]);
    const model = named(levels, "model").data.find((point) => point[0] > 50);
    near(model[1], 0.0151 + (0.0006 / 0.11) * ((-Math.log(1 - 1 / model[0])) ** -0.11 - 1), 1e-9);
    const slowest = await series_of(page, "The slowest of many");
    assert.deepEqual(named(slowest, "95 %").data.map((point) => point[0]), [1, 4, 16]);
    near(named(slowest, "95 %").data[2][1], 0.0193);
  });
});

test("plans: the curve and the chosen number of runs", async () => {
  await with_page(make_page("numbers-plan", documents.plan()), "light", async (page) => {
    const series = await series_of(page, "Precision of the quantiles");
    near(named(series, "quantile 0.9").data.find((point) => point[0] === 100)[1], 0.126);
    assert.deepEqual(series[0].marks, [0.1, -0.1, 159]);
    assert.match(await figure(page, "Precision of the quantiles").innerText(), /159 independent runs .* 296 real ones/);
  });
});

test("checks: verdict, conflicts, pairs, advice", async () => {
  await with_page(make_page("numbers-check", documents.check()), "light", async (page) => {
    assert.match(await page.locator(".verdict").innerText(), /weakest model that is enough is posix/);
    const conflicts = await series_of(page, "Conflicts under each model");
    assert.deepEqual(named(conflicts, "RAW-D").data, [0, 5, 10, 15, 20]);
    assert.deepEqual((await series_of(page, "Who conflicts with whom"))[0].data, [[0, 0, 4], [1, 0, 8], [2, 0, 12]]);
    assert.match(await figure(page, "Where to commit").innerText(), /rank 0: fsync after pwrite, before MPI_Barrier/);
    assert.match(await figure(page, "Verdict for each file").innerText(), /✗ 8/);
    assert.match(await figure(page, "Names that others rely on").innerText(), /2 names are made.*rank 0\s+rename\(.*rank 2\s+open\(/s);
  });
});

test("patterns: shares, sizes, metadata by its maker", async () => {
  await with_page(make_page("numbers-patterns", documents.patterns()), "light", async (page) => {
    assert.deepEqual(named(await series_of(page, "How accesses follow"), "random").data, [0.02, 0.5]);
    assert.deepEqual(named(await series_of(page, "Sizes of requests"), "writes").data, [50, null, 850]);
    assert.deepEqual(named(await series_of(page, "Metadata operations"), "by mpi").data, [16, 0]);
    assert.match(await figure(page, "Each file").innerText(), /1 of 1 have a stride.*shared\.dat\s+write\s+8\s+88\s+64 KiB\s+0 %\s+38 %\s+50 %\s+64 KiB every 512 KiB/s);
  });
});

test("maps: errors over the floor, predictions, slices, convergence", async () => {
  await with_page(make_page("numbers-map", documents.validation(), documents.slice(), documents.converge(), documents.lineSlice()), "light", async (page) => {
    const errors = await series_of(page, "Error against the share");
    assert.deepEqual(named(errors, "gp").data, [[0.1, 32], [0.2, 26], [0.5, 20], [0.9, 14]]);
    assert.deepEqual(errors[0].marks, [13.962]);
    assert.equal(named(await series_of(page, "Predicted against measured"), "gp").data.length, 60);
    const slice = (await series_of(page, "over threads and size_kb"))[0].data;
    assert.equal(slice.length, 29); // one was not measured
    assert.deepEqual(slice.find((cell) => cell[0] === 5 && cell[1] === 4), [5, 4, 21]);
    assert.equal(named(await series_of(page, "Runs until"), "90 % narrowed").data.length, 19);
    const tested = documents.validation();
    tested.results = ["lm", "gp"].map((method, i) => ({ method, train: null, are_percent: 20 - 3 * i, standard_error: 1, count: 1 }));
    tested.maps = [];
    await with_page(make_page("numbers-tested", tested), "light", async (other) => {
      const [error] = await series_of(other, "Error of each method");
      assert.deepEqual([error.data, error.marks], [[17, 20], [13.962]]);
    });
    const of_one = page.locator("#part-4 figure.view");
    assert.match(await of_one.innerText(), /greatest at threads 4 \(7\)/);
    assert.equal(await of_one.count(), 1);
  });
});

test("interference: matrix, sweep, slices", async () => {
  await with_page(make_page("numbers-interfere", documents.matrix(), documents.sweep(), documents.slices(), documents.closes()), "light", async (page) => {
    const matrix = (await series_of(page, "Degradation, chunks of 1 MiB"))[0].data;
    assert.deepEqual(matrix.find((cell) => cell[2] === 89), [2, 0, 89]);
    assert.match(await figure(page, "Degradation, chunks of 1 MiB").innerText(), /open_write_close loses most, 89 % beside aggregate_write, at least 85 %: keep these two apart.*as if alone: open_write_close beside aggregate_write\./);
    assert.match(await page.locator(".origin").first().innerText(), /seed 4/);
    const sweep = await series_of(page, "Sweep");
    assert.deepEqual(named(sweep, "write_seek beside aggregate_write").data[7], [8388608, 76]);
    assert.deepEqual((await series_of(page, "Time slices"))[0].data[11], [11, 4e7]);
    assert.match(await page.locator("#part-4").innerText(), /files are counted.*Files closed in each slice of time/s);
  });
});

test("sweeps: every pair over what it varies itself, a line for each other thing", async () => {
  const [there, back] = ["open_write_close beside aggregate_write", "aggregate_write beside open_write_close"];
  const shown = async (page, title) => Object.fromEntries((await series_of(page, title)).filter((one) => one.name !== "").map((one) => [one.name, one.data]));
  const sweeps = (page) => page.locator("figure.view h3", { hasText: "Sweep" }).allInnerTexts();
  await with_page(make_page("numbers-process-sweep", documents.processSweep()), "light", async (page) => {
    assert.deepEqual(await sweeps(page), ["Sweep over processes of the signal", "Sweep over processes"]);
    assert.deepEqual(await shown(page, "Sweep over processes of the signal"), { [there]: [[1, 10], [2, 20], [4, 40]] });
    assert.deepEqual(await shown(page, /^Sweep over processes$/), { [back]: [[1, 11], [2, 21], [4, 41]] });
  });
  await with_page(make_page("numbers-signal-sweep", documents.signalSweep()), "light", async (page) => {
    assert.deepEqual(await shown(page, "Sweep over bytes of the signal's chunk"), { [there]: [[65536, 0], [1048576, 10], [16777216, 20]] });
    assert.deepEqual(await shown(page, "Sweep over bytes of a chunk"), { [back]: [[65536, 1], [1048576, 11], [16777216, 21]] });
  });
  await with_page(make_page("numbers-duty-sweep", documents.dutySweep()), "light", async (page) => {
    assert.deepEqual(await sweeps(page), ["Sweep over bytes of a chunk"]);
    assert.deepEqual(await shown(page, "Sweep over bytes of a chunk"), { [`${there}, duty 100 %`]: [[65536, 40], [1048576, 41]], [`${there}, duty 50 %`]: [[65536, 20], [1048576, 21]], [back]: [[65536, 41], [1048576, 42]] });
  });
  await with_page(make_page("numbers-layout-sweep", documents.layoutSweep()), "light", async (page) => {
    assert.deepEqual(await shown(page, "Sweep over layout"), { [there]: [[0, 10], [1, 60]], [back]: [[0, 11], [1, 61]] });
    const csv = await save_csv(page, "All pairs");
    assert.deepEqual(csv.rows.map((row) => row[csv.columns.indexOf("layout")]), ["per_worker", "per_worker", "shared", "shared"]);
  });
});

test("targets in balance: placements, targets over time", async () => {
  const document = documents.balance();
  await with_page(make_page("numbers-balance", document), "light", async (page) => {
    assert.deepEqual(named(await series_of(page, "Placements compared"), "run time").data, [1.3, 1.9]);
    assert.match(await figure(page, "Placements compared").innerText(), /first and last process end, medians\. Balanced placement brings the processes' ends 91 % closer together/);
    assert.match(await figure(page, "Targets over time").innerText(), /all of them were at work to the end/);
    await page.getByRole("combobox", { name: "Run" }).selectOption({ index: 1 });
    // Nothing was written to the first target.
    const times = await series_of(page, "Targets over time");
    document.targets.forEach((name, i) => assert.equal(sum(named(times, name).data.map((point) => point[1])), sum(document.runs[1].written_bytes[i])));
    assert.match(await figure(page, "Targets over time").innerText(), /66.7 % of the bytes were written when only some of them were still at work/);
    assert.match(await page.locator("figure.view", { has: page.getByRole("heading", { name: "Targets", exact: true }) }).innerText(), /\/mnt\/t2: all wait for what ends last/);
    assert.equal((await save_csv(page, "Targets over time")).rows.length, 40);
  });
});

test("the burst buffer: bytes, requests, locks, models compared", async () => {
  await with_page(make_page("numbers-burst", documents.fsStats(), documents.run("session", 2.5), documents.run("posix", 5)), "light", async (page) => {
    assert.deepEqual((await series_of(page, "Lock tokens"))[0].data, [40, 50, 10]);
    assert.deepEqual((await series_of(page, "Bandwidth by model"))[0].data, [4e8, 2e8]);
    assert.match(await figure(page, "Bandwidth by model").innerText(), /session is fastest/);
    assert.deepEqual((await series_of(page, "Requests to servers"))[0].data, [60, 30, 9, 9, 4]);
  });
  const verified = { ...documents.run("commit"), verify: { checked_reads: 30, stale_reads: 3, stale: [{ file: "/scratch/out/shared", model: "commit", begin_bytes: 100, end_bytes: 105, reader: { node: 0, pid: 812, rank: null }, writer: { node: 0, pid: 811, rank: 1 }, missing: "publish", calls: ["close", "fsync"], times: 3 }] } };
  verified.bytes.past_weir_bytes = 4096;
  await with_page(make_page("numbers-verify", verified), "light", async (page) => {
    assert.match(await page.locator(".verdict.bad").innerText(), /3 of 30 reads were stale: commit is not enough/);
    assert.match(await page.locator(".problem").innerText(), /4 KiB were written by programs that Weir's library is not in, and are lost/);
    assert.match(await figure(page, "Stale reads").innerText(), /shared\s+commit\s+100\s+105\s+process 812\s+rank 1\s+publish\s+close fsync\s+3/);
  });
});

test("a study: gain, runs, where the time goes, bandwidth by model, results", async () => {
  await with_page(make_page("numbers-study", documents.study(), documents.run("session", 2.2), documents.run("posix", 2.5)), "light", async (page) => {
    const gain = (await series_of(page, "What the burst buffer gains"))[0].data;
    near(gain[0][0], 0.815 / 0.215);
    near(gain[2][0], 2.815 / 2.375);
    const times = await series_of(page, "I/O time of each run");
    assert.deepEqual(times.map((one) => one.name), ["own directory", "burst buffer, session", "burst buffer, posix"]);
    near(named(times, "burst buffer, session").data[1][1], 0.21);
    assert.deepEqual(named(times, "own directory").marks, [0.815]);
    const parts = await series_of(page, "Where the time of a run goes");
    near(named(parts, "everything else").data[1], 2);
    assert.deepEqual(named(parts, "flush").data, [0, 0.1, 0.1]);
    near((await series_of(page, "Bandwidth by model"))[0].data[1], 1e8 / 0.215);
    assert.equal(await page.locator("figure.view h3", { hasText: "Bandwidth by model" }).count(), 1);
    assert.match(await figure(page, "Results, byte by byte").innerText(), /All 8 runs on the burst buffer left the bytes.*1 file differs/);
    assert.match(await page.locator(".verdict").first().innerText(), /session consistency is enough; on the burst buffer its I\/O takes 3.79 times less time/);
    const saved = await save_csv(page, "I/O time of each run");
    assert.equal(saved.rows.length, 12);
  });
  await with_page(make_page("numbers-racy-study", documents.racyStudy()), "light", async (page) => {
    assert.match(await page.locator(".verdict.bad").innerText(), /^No model is proven enough \(2 races\); it ran under posix; on the burst buffer its I\/O takes 3.79 times less time/);
  });
});
