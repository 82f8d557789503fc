// What a page does with bad input, with names that are HTML, with the keyboard, in print, and with its theme.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close_browser, draw_all, figure, fits, make_page, open_browser, out, save_csv, series_of, weir, with_page } from "./browser.js";
import * as documents from "./documents.js";

before(open_browser);
after(close_browser);

test("HTML in names is shown as text and runs nothing", async () => {
  const name = "</script><script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 2\"><!--\u2028";
  const fit = documents.fit();
  fit.input.column = fit.groups[0].key.threads = name;
  fit.groups[0].warning = name;
  const trace = documents.trace();
  trace.access_maps[0].name = trace.stat.files_by_bytes[0].name = trace.stat.functions[0].name = name;
  trace.stat.process_list[0].host = trace.stat.facts.command[0] = name;
  trace.stat.process_list.forEach((process) => { process.rank = null; process.program = `/bin/${name}`; });
  const path = make_page("html-in-names", documents.check(name), fit, trace, documents.patterns());
  await with_page(path, "light", async (page) => {
    await draw_all(page);
    for (const title of ["Timeline", "Calls and bytes per function", "Which bytes of a file", "Who conflicts with whom", "Histogram and fitted density"]) {
      const box = await figure(page, title).locator(".chart").boundingBox();
      await figure(page, title).locator(".chart").scrollIntoViewIfNeeded();
      for (const [x, y] of [[0.3, 0.35], [0.5, 0.5], [0.6, 0.6]]) await figure(page, title).locator(".chart").hover({ position: { x: box.width * x, y: box.height * y } });
      await page.waitForTimeout(100);
    }
    for (const button of await page.getByRole("button", { name: /^Show the numbers/ }).all()) await button.click();
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.locator("main").innerText()).includes("<script>window.hacked = 1</script>"));
  });
});

test("what cannot be shown says so in its place, and the rest is shown", async () => {
  const empty = documents.stat();
  empty.calls = empty.records = 0;
  empty.functions = [];
  const failed = documents.fit();
  failed.groups = [{ key: {}, n: 2, models: [], skipped: "2 values are too few" }];
  const missing = documents.trace();
  missing.access_maps = null;
  missing.problems = [{ part: "access_maps", reason: "the trace has too many calls for a map of accesses" }];
  const broken = join(out, "broken.json");
  writeFileSync(broken, "{\"schema\": \"weir.fit/1\", ");
  const path = make_page("bad-input", { schema: "weir.fit/2", groups: [] }, { schema: "weir.unheard-of/1" }, broken, empty, failed, missing, { schema: "weir.plan/1" }, { schema: "weir.check/1" }, { schema: "weir.map-slice/1", maps: [{}] },
    { schema: "weir.interfere-matrix/1", cells: [{}] }, { schema: "weir.fit/1", groups: [{ models: [{ family: "normal", parameters: [{ location: null }] }] }, 3, null] }, documents.plan());
  await with_page(path, "light", async (page) => {
    const text = async (i) => page.locator(`#part-${i}`).innerText();
    assert.match(await text(1), /This result is weir\.fit\/2; this page reads version 1/);
    assert.match(await text(2), /no view for weir\.unheard-of\/1/);
    assert.match(await text(3), /broken\.json: .*give what a command wrote with --json/s);
    assert.match(await text(4), /The trace is empty/);
    assert.match(await text(5), /could not be fitted: 2 values are too few/);
    assert.match(await text(6), /access maps: the trace has too many calls/);
    assert.match(await text(7), /nothing was planned/);
    assert.match(await text(8), /tells of no model/);
    assert.ok((await series_of(page, "Timeline")).length > 0);
    assert.equal(await page.locator("#part-12 figure.view").count(), 2);
    await draw_all(page);
  });
});

test("the command: what is not there, what cannot be read, where it cannot write", () => {
  const report = (...args) => spawnSync(weir, ["report", ...args], { cwd: out, encoding: "utf8" });
  const page = join(out, "never.html");
  rmSync(page, { force: true });
  let ran = report("no-such.json", "--out", page);
  assert.equal(ran.status, 2);
  assert.match(ran.stderr, /no-such\.json: /);
  writeFileSync(join(out, "text.json"), "hello");
  ran = report("text.json", "--out", page);
  assert.equal(ran.status, 2);
  assert.match(ran.stderr, /text\.json: .*give what a command wrote with --json, or a trace/);
  writeFileSync(join(out, "other.json"), "{\"a\": 1}");
  ran = report("other.json", "--out", page);
  assert.equal(ran.status, 2);
  assert.match(ran.stderr, /other\.json: is JSON, but no result of weir/);
  mkdirSync(join(out, "empty.trace"), { recursive: true });
  ran = report("empty.trace", "--out", page);
  assert.equal(ran.status, 2);
  assert.ok(!existsSync(page));
  writeFileSync(join(out, "plan.json"), JSON.stringify(documents.plan()));
  ran = report("plan.json", "--out", join(out, "no-folder", "page.html"));
  assert.notEqual(ran.status, 0);
  assert.match(ran.stderr, /no-folder/);
  ran = report("plan.json", "text.json", "--out", page);
  assert.equal(ran.status, 0);
  assert.match(ran.stderr, /text\.json/);
  ran = spawnSync(weir, ["report", "-", "--out", page, "--title", "from a pipe"], { cwd: out, encoding: "utf8", input: JSON.stringify(documents.plan()) });
  assert.equal(ran.status, 0);
  assert.match(ran.stdout, /never\.html: 1 result, /);
});

test("the keyboard reaches everything and saves a CSV file", async () => {
  await with_page(make_page("keyboard", documents.plan()), "light", async (page) => {
    const reached = [];
    for (let i = 0; i < 20; ++i) {
      await page.keyboard.press("Tab");
      const label = await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName ?? "");
      reached.push(label);
      if (!/^Save the numbers of “Precision/.test(label)) continue;
      const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
      assert.match(download.suggestedFilename(), /precision-of-the-quantiles.*\.csv$/);
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      assert.equal(outline, "solid");
    }
    assert.ok(reached.some((label) => label.startsWith("Switch between light and dark")), reached.join(", "));
    assert.ok(reached.some((label) => label.startsWith("Precision of the quantiles")), reached.join(", "));
    assert.ok(reached.some((label) => label.startsWith("Save the numbers of “Quantiles by model")), reached.join(", "));
  });
});

test("numbers open as a table and are the ones of the CSV file", async () => {
  await with_page(make_page("table", documents.plan()), "light", async (page) => {
    const of = figure(page, "Precision of the quantiles");
    await of.getByRole("button", { name: /^Show the numbers/ }).click();
    const rows = await of.locator("tbody tr").count();
    const csv = await save_csv(page, "Precision of the quantiles");
    assert.equal(csv.rows.length, rows);
    assert.deepEqual(csv.columns, ["n", "gamma_0.1", "gamma_0.9"]);
    await of.getByRole("button", { name: /^Show the numbers/ }).click();
    assert.equal(await of.locator("tbody").isVisible(), false);
  });
});

test("the button switches between light and dark, charts too", async () => {
  await with_page(make_page("theme", documents.plan()), "light", async (page) => {
    await draw_all(page);
    const ink = () => page.evaluate(() => [getComputedStyle(document.body).color, document.querySelector(".chart").chart.getOption().textStyle.color]);
    const before_it = await ink();
    await page.getByRole("button", { name: "Switch between light and dark" }).click();
    const after_it = await ink();
    assert.notEqual(before_it[0], after_it[0]);
    assert.notEqual(before_it[1], after_it[1]);
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await ink(), after_it);
  });
});

test("prints with every chart, in dark colours on white, without buttons", async () => {
  await with_page(make_page("print", documents.fit(), documents.plan(), documents.trace()), "dark", async (page) => {
    await page.pdf({ path: join(out, "print.pdf"), format: "A4" });
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.getByRole("button", { name: /as CSV/ }).first().isVisible(), false);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)");
    assert.equal(await page.evaluate(() => [...document.querySelectorAll(".chart")].filter((box) => box.chart === undefined).length), 0);
  });
  assert.ok(statSync(join(out, "print.pdf")).size > 20000);
});

test("the page states how it was made", async () => {
  const path = make_page("facts", documents.plan());
  const version = execFileSync(weir, ["--version"], { encoding: "utf8" }).match(/\d+\.\d+\.\d+/)[0];
  await with_page(path, "light", async (page) => {
    const header = await page.locator("header").innerText();
    assert.match(header, /weir report .*facts-1\.json --out /);
    assert.ok(header.includes(version));
    assert.match(header, /host\s+\S+/);
    assert.match(header, new RegExp(`date\\s+${new Date().getUTCFullYear()}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC`));
    assert.match(await page.locator(".origin").innerText(), /facts-1\.json · written .* · seed 5/);
  });
  // Each result states the command, version and seed that made it; of a measurement also where and when.
  const made = { command: ["weir", "plan", "my runs.csv", "--json"], weir: "0.0.7" };
  const measured = { command: ["weir", "run", "--dir", "d", "--", "./<b>app"], weir: "0.0.8", host: "node17", date: "2026-01-02T03:04:05Z" };
  const both = make_page("made", { ...documents.plan(), made }, { ...documents.run("session"), made: measured });
  await with_page(both, "narrow", async (page) => {
    assert.match(await page.locator("#part-1 .origin").innerText(), /^weir plan 'my runs\.csv' --json\n.*made-1\.json · written .* · by weir 0\.0\.7 · seed 5$/);
    assert.match(await page.locator("#part-2 .origin").innerText(), /^weir run --dir d -- '\.\/<b>app'\n.*made-2\.json · written .* · by weir 0\.0\.8 · on node17 · at 2026-01-02 03:04:05 UTC$/);
    await fits(page);
  });
});
