// The page that weir study makes of a real program: it opens, and says what the study's files say.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close_browser, draw_all, figure, fits, looks, near, open_browser, out, series_of, weir, with_page } from "./browser.js";
import { long_word } from "./documents.js";

before(open_browser);
after(close_browser);

// A name that no window of a phone holds in one line: pages must not depend on where a study was made.
const directory = join(out, "study", long_word.slice(0, 100));
const read = (name) => JSON.parse(readFileSync(join(directory, "study", name), "utf8"));

test("a study of a real program", async () => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(directory, "out"), { recursive: true });
  const made = spawnSync(weir, ["study", "--runs", "3", "--compare", "posix", "--", "sh", "-c", "for i in 1 2 3 4; do seq 1 20000 > out/$i; done"],
    { cwd: directory, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
  assert.equal(made.status, 0);
  const study = read("study.json");
  const page_file = join(directory, "study", "page.html");
  assert.equal(study.page, page_file);
  assert.ok(made.stdout.includes(page_file));
  for (const look of Object.keys(looks)) {
    await with_page(page_file, look, async (page) => {
      await draw_all(page);
      await fits(page);
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ path: join(out, `study-real-${look}.png`), fullPage: true });
      if (look !== "light") return;
      assert.equal(await page.locator(".problem").count(), 0);
      const gain = (await series_of(page, "What the burst buffer gains"))[0].data;
      near(gain[0][0], study.gain.io.factor);
      near(gain[1][0], study.gain.run.factor);
      const times = await series_of(page, "I/O time of each run");
      assert.deepEqual(times[0].data, study.runs.filter((run) => run.where === "own").map((run) => [run.number, run.io_s]));
      const differences = study.runs.flatMap((run) => run.differences ?? []);
      assert.equal(await figure(page, "Results, byte by byte").locator("tbody tr").count(), differences.length);
      assert.equal(await figure(page, "Results, byte by byte").locator("table").count(), differences.length > 0 ? 1 : 0);
      // Trace, verdict, fits, plan and run are the single commands' documents.
      assert.ok((await page.locator("section[data-schema='weir.check/1']").innerText()).includes(read("check.json").weakest_model));
      assert.ok(await figure(page, "Timeline").count() > 0);
      const fit = await page.locator("section[data-schema='weir.fit/1']").first().innerText();
      assert.ok(fit.includes(read("fit-io.json").groups[0].models[0].family));
      assert.equal(await page.locator("section[data-schema='weir.run/1']").count(), study.model === "posix" ? 1 : 2);
    });
  }
});
