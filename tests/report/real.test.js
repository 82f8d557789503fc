// Pages of what the commands themselves write, on this machine: every view that a result has gets its numbers from it.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close_browser, draw_all, fits, looks, make_page, open_browser, out, source, weir, with_page } from "./browser.js";

before(open_browser);
after(close_browser);

const place = join(out, "real");

// What a command prints with --json; `no` may be its answer.
function result(...words) {
  const program = words.indexOf("--");
  const own = program < 0 ? words.length : program;
  const done = spawnSync(weir, [...words.slice(0, own), "--json", ...words.slice(own)], { cwd: place, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(done.status === 0 || done.status === 1, `weir ${words.join(" ")}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

// The page has these figures in every look, drawn and without a word of failure.
async function shows(name, documents, titles) {
  const path = make_page(`real-${name}`, ...documents);
  for (const look of Object.keys(looks)) {
    await with_page(path, look, async (page) => {
      await draw_all(page);
      assert.equal(await page.getByText("could not be made").count(), 0);
      const found = await page.locator("figure.view h3").allInnerTexts();
      for (const title of titles) assert.ok(found.some((one) => title.test(one)), `${title} is not among ${found.join(", ")}`);
      const made = await page.locator("section .origin code").allInnerTexts();
      assert.deepEqual(made.map((one) => one.split(" ").slice(0, 2)), documents.map((one) => one.made.command.slice(0, 2)), "each result states its command");
      assert.equal(await page.getByText(/\b(NaN|undefined|Infinity)\b/).count(), 0);
      await fits(page);
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ path: join(out, `real-${name}-${look}.png`), fullPage: true });
    });
  }
}

before(() => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(place, "storage"), { recursive: true });
});

test("samples: fits, extremes, plans, detection", async () => {
  const [reads, writes] = ["read_runs.csv", "write_runs.csv"].map((name) => join(source, "examples", name));
  const column = ["--column", "throughput_mib_s", "--group", "record_kib"];
  await shows("samples", [result("fit", reads, ...column, "--max-components", "3"), result("fit", writes, ...column, "--family", "gev", "--return-levels", "0.1,0.01"),
    result("plan", reads, ...column, "--precision", "0.05"), result("detect", "--baseline", reads, "--new", reads, ...column)],
  [/Histogram and fitted density/, /Cumulative distribution/, /Quantiles of the runs against the model/, /Models by BIC/, /Return levels \(GEV\)/, /Precision of the quantiles/, /New runs against the baseline/]);
});

test("campaigns, stripes, maps", async () => {
  const bench = result("bench", "run", "--grid", join(source, "examples", "quick.toml"), "--runs", "4", "--dir", "storage", "--db", "quick.db");
  const rows = ["threads,size,mode,mb_s"];
  for (let threads = 1; threads <= 8; ++threads) for (let size = 1; size <= 6; ++size) for (const mode of ["read", "write"]) for (let run = 0; run < 12; ++run)
    rows.push([threads, 2 ** size, mode, (100 + 20 * threads + 9 * size * (mode === "read" ? 2 : 1) + (threads + size) * Math.sin(7 * run + 3 * threads + size)).toFixed(4)].join(","));
  writeFileSync(join(place, "runs.csv"), `${rows.join("\n")}\n`);
  const map = (part, ...more) => result("map", part, "runs.csv", "--factors", "threads,size", "--split", "mode", "--from-runs", "mb_s", ...more);
  execFileSync(weir, ["map", "fit", "runs.csv", "--factors", "threads,size,mode", "--from-runs", "mb_s", "--out", "spread.map"], { cwd: place, stdio: "ignore" });
  await shows("campaigns", [bench, result("bench", "compare", "quick.db", "quick.db"), result("stripe", "--targets", "storage,storage,storage", "--size", "768k", "--stripe", "64k", "--runs", "30")],
    [/Throughput of the configurations/, /After against before/, /Time of each write/, /Do the targets move together/, /Which target is the slowest/]);
  await with_page(join(out, "real-campaigns.html"), "light", async (page) => {
    await draw_all(page);
    const words = await page.locator("figure.view", { hasText: "Throughput of the configurations" }).locator("svg text").allTextContents();
    const names = words.filter((one) => /^[a-z_]+ · .* KiB$/.test(one));
    const shown = bench.configurations.filter((one) => one.throughput_bytes_per_s.median !== null);
    assert.equal(new Set(names).size, shown.length, `every configuration has a name of its own: ${words.join(", ")}`);
    assert.match(await page.locator("figure.view", { hasText: "Time of each write" }).locator(".says").innerText(), /^30 writes in their order\. [A-Z].*\.$/s);
  });
  await shows("maps", [map("validate", "--methods", "lm,delaunay", "--splits", "3", "--train", "0.9,0.5"), map("slice", "--x", "threads", "--y", "size"), map("converge"), map("anova"),
    result("map", "predict", "spread.map", "--at", "threads=3|5,size=10,mode=read"), map("propose")],
  [/Error against the share/, /Predicted against measured/, /over threads and size|over size and threads/, /Runs until the interval/, /What moves the response/, /Predictions/, /What to measure next/]);
});

test("interference: matrix, sweep, slices of two programs, classes, advice", async () => {
  const measured = ["--dir", "storage", "--runs", "2", "--size", "640k", "--no-monitors"];
  const matrix = result("interfere", "matrix", ...measured, "--patterns", "owc,ws,aw", "--chunk", "16k,64k", "--db", "m.db");
  const sweep = result("interfere", "sweep", ...measured, "--probe", "owc", "--signal", "aw", "--chunk", "16k,64k,128k");
  // A probe that writes all the time and a signal with pauses, counted by the same clock.
  const slices = (name, words) => `"${weir}" interfere slices --out ${name}.slices --slice 20ms --dir storage -- sh -c '${words}'`;
  execFileSync("sh", ["-c", `${slices("probe", "for i in $(seq 60); do head -c 300000 /dev/zero > storage/x; sleep 0.01; done")} &
    ${slices("signal", "for i in 1 2 3 4; do sleep 0.1; head -c 900000 /dev/zero > storage/y; done")}; wait`], { cwd: place, stdio: "ignore" });
  const joined = result("interfere", "slices", "--join", "probe.slices", "signal.slices");
  assert.equal(spawnSync(weir, ["trace", "--out", "dd.trace", "--", "dd", "if=/dev/zero", "of=storage/z", "bs=64k", "count=40"], { cwd: place, stdio: "ignore" }).status, 0);
  const classified = result("interfere", "classify", "dd.trace", "--under", "storage");
  writeFileSync(join(place, "dd.json"), JSON.stringify(classified));
  const advice = result("interfere", "advise", "--matrix", "m.db", "--program", "dd=dd.json", "--program", "other=owc:64k");
  await shows("interference", [matrix, sweep, joined, classified, advice, result("check", "dd.trace"), result("patterns", "dd.trace")],
    [/Degradation/, /Sweep/, /Time slices of programs and storage/, /Write patterns/, /Who may run beside whom/, /Conflicts under each model|Verdict for each file/, /Sizes of requests/]);
});

test("the burst buffer: status, stats, runs under several models", async () => {
  const models = ["session", "commit", "posix", "posix-lock"];
  const runs = models.map((model) => result("run", "--dir", "storage", "--consistency", model, "--", "sh", "-c", "for i in 1 2 3; do dd if=/dev/zero of=storage/b$i bs=64k count=20 2> /dev/null; done; cat storage/b1 > /dev/null"));
  const job = ["--job", "job.json"];
  execFileSync(weir, ["fs", "start", "--local", "1", "--backing", "storage", "--buffer", "/dev/shm", ...job, "--limit", "60s"], { cwd: place, stdio: "ignore" });
  try {
    await shows("burst", [...runs, result("fs", "status", ...job), result("fs", "stats", ...job)], [/Bandwidth by model/, /Requests to servers/, /What was buffered and flushed/, /Where the time went/, /Lock tokens/, /Servers/]);
  } finally {
    execFileSync(weir, ["fs", "stop", ...job], { cwd: place, stdio: "ignore" });
  }
});

test("the machine", async () => {
  await shows("doctor", [result("doctor")], [/What this machine has/]);
});
