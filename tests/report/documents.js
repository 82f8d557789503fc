// A small document of every kind that the page shows, with numbers that the tests know.
const range = (n) => Array.from({ length: n }, (_, i) => i);

// Numbers that look random and are the same on every machine (Park and Miller).
export function random(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function gauss(next) {
  return Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
}

export const ranks = 8;
export const steps = 40;
const kBins = 4000;
const kBinNs = 500000;

// Each step: ranks compute, exchange, then write one after the other and read back.
function timelineRow(rank) {
  const kinds = {};
  const put = (kind, bin, calls, time_ns, bytes) => {
    const of = (kinds[kind] ??= { bin: [], calls: [], time_ns: [], bytes: [] });
    of.bin.push(bin);
    of.calls.push(calls);
    of.time_ns.push(time_ns);
    of.bytes.push(bytes);
  };
  for (const step of range(steps)) {
    const at = step * 100;
    for (const i of range(12)) put("communication", at + 20 + i, 3, kBinNs * 0.9, 0);
    for (const i of range(20)) put("write", at + 35 + 2 * rank + i, 10, kBinNs * 0.8, 655360);
    put("metadata", at + 34 + 2 * rank, 2, kBinNs * 0.2, 0);
    if (step % 4 === 3) for (const i of range(8)) put("read", at + 75 + i, 4, kBinNs * 0.5, 262144);
  }
  return { processes: [rank], kinds };
}

const functions = [
  ["pwrite", "posix", 64000, 3.2e9, 0, 4.19e9], ["pread", "posix", 2560, 1.6e8, 6.7e8, 0], ["MPI_Barrier", "mpi", 7680, 9.6e8, 0, 0],
  ["MPI_Sendrecv", "mpi", 3840, 7.7e8, 0, 0], ["open", "posix", 320, 3.2e7, 0, 0], ["close", "posix", 320, 1.6e7, 0, 0], ["MPI_File_write_at", "mpiio", 640, 2.1e8, 0, 1.0e8],
].map(([name, layer, calls, time_ns, read_bytes, written_bytes]) => ({ calls, failed: name === "open" ? 8 : 0, read_bytes, written_bytes, time_ns, name, layer, signatures: 12, inside_ns: name === "MPI_File_write_at" ? 2.0e8 : 0,
  shortest_ns: 400, longest_ns: 900000, errors: {} }));

export function stat() {
  return {
    schema: "weir.stat/1", trace: "melt.trace/trace.weir", facts: { weir: "0.1.0", command: ["mpirun", "-n", "8", "./melt"], status: 0, timing: "lossless", origin_wall_ns: 1.79e18 },
    records: 79360, processes: ranks, trace_bytes: 41200, timing: "lossless", timing_bytes: 30100, section_bytes: { TIME: 30100, BLOK: 5200, SIGN: 2400, GRAM: 1100, PROC: 900, NAME: 400, FUNC: 700, FACT: 400 },
    signatures: 96, grammars: 3, span_ns: kBins * kBinNs, calls: 79360, failed: 8, read_bytes: 6.7e8, written_bytes: 4.29e9, time_ns: 5.3e9, warnings: [], functions,
    layers: { posix: { calls: 67200, failed: 8, read_bytes: 6.7e8, written_bytes: 4.19e9, time_ns: 3.4e9, inside_ns: 0 }, mpi: { calls: 11520, failed: 0, read_bytes: 0, written_bytes: 0, time_ns: 1.73e9, inside_ns: 0 } },
    called_inside: [], files: 9, files_by_bytes: [{ calls: 64000, failed: 0, read_bytes: 0, written_bytes: 4.19e9, time_ns: 3.2e9, name: "/scratch/melt/checkpoint.0040.h5" }, { calls: 60, failed: 0, read_bytes: 0, written_bytes: 81920, time_ns: 4e6, name: "/scratch/melt/log.txt" }],
    files_by_time: [],
    process_list: range(ranks).map((rank) => ({ calls: 9920, failed: 1, read_bytes: 8.4e7, written_bytes: 5.4e8, time_ns: 6.6e8 + 1e7 * rank, pid: 4100 + rank, rank, class: 0, parent: null, program: "/opt/melt", arguments: ["./melt"], directory: "/scratch", host: `node${rank >> 2}`, start_ns: 0, threads: 1, lost: 0 })),
  };
}

function accessMap() {
  const [time, offset, process, cell_accesses, read_bytes, written_bytes] = [[], [], [], [], [], []];
  for (const step of range(steps)) for (const rank of range(ranks)) for (const i of range(3)) {
    time.push(step * 4 + 1);
    offset.push((step * 2 + rank * 10 + i) % 96);
    process.push(rank);
    cell_accesses.push(66);
    read_bytes.push(0);
    written_bytes.push(4194304);
  }
  return { name: "/scratch/melt/checkpoint.0040.h5", readers: 1, writers: ranks, accesses: 63360, begin_ns: 1.7e7, time_bin_ns: 1.25e7, offset_bin_bytes: 8388608, time_bins: 160, offset_bins: 96, time, offset, process, cell_accesses, read_bytes, written_bytes };
}

export function trace() {
  const channels = range(ranks).flatMap((from) => [1, ranks - 1].map((by) => ({ from, to: (from + by) % ranks, from_process: from, to_process: (from + by) % ranks, messages: 480, bytes: 480 * 8192 * (from + 1) })));
  return {
    schema: "weir.trace-view/1", stat: stat(), facts: stat().facts, timeline: { begin_ns: 0, bin_ns: kBinNs, bins: kBins, rows: range(ranks).map(timelineRow) },
    access_maps: [accessMap()], communication: { channels, messages_of_unknown_size: 0, messages_to_unknown: 0 }, problems: [],
  };
}

// The same trace with many more bins and rows, as full as weir report makes it.
export function largeTrace() {
  const document = trace();
  document.timeline = { begin_ns: 0, bin_ns: 1e6, bins: 8192, rows: range(16).map((row) => {
    const kinds = {};
    for (const kind of ["read", "write"]) kinds[kind] = { bin: range(3000).map((i) => 2 * i + (row & 1)), calls: range(3000).map(() => 104), time_ns: range(3000).map((i) => 400000 + i), bytes: range(3000).map(() => 425984) };
    return { processes: [row % ranks], kinds };
  }) };
  document.stat.calls = document.stat.records = 9984000;
  return document;
}

const component = (weight, location, scale) => ({ weight, location, scale, weight_se: 0.02, location_se: 0.3, scale_se: 0.2 });

export function fit() {
  const next = random(7);
  const values = [...range(600).map(() => 100 + 6 * gauss(next)), ...range(300).map(() => 140 + 10 * gauss(next))].sort((a, b) => a - b);
  const n = values.length;
  const model = (family, components, bic, parameters) => ({ family, components, bic, aic: bic - 20, icl: bic + 30, log_likelihood: -0.5 * bic, converged: true, iterations: 14, starts: 6, floor: 0.1, floor_hit: false, parameters });
  return {
    schema: "weir.fit/1", input: { source: "runs.csv", column: "throughput", rows: n, values: n, skipped: 0, problems: [] }, options: { family: "all", components: null, max_components: 5, seed: 11, starts: 8 },
    groups: [{
      key: { threads: "4" }, n, models: [model("normal", 2, 7000.5, [component(2 / 3, 100, 6), component(1 / 3, 140, 10)]), model("lognormal", 2, 7004.25, [component(0.66, 4.605, 0.06), component(0.34, 4.94, 0.07)]),
        model("gamma", 1, 7304, [component(1, 30, 3.77)]), model("weibull", 1, 7404, [component(1, 4.79, 0.15)])],
      left_out: [{ family: "frechet", components: 3, reason: "did not converge" }], warning: null, goodness: { ks_statistic: 0.02, ks_p: 0.41, ad_statistic: 0.3, ad_p: 0.5, replicates: 199 },
      plot: { ecdf: values.map((x, i) => ({ x, share: (i + 1) / n })), curve: [], quantiles: values.map((x, i) => ({ model: x + Math.sin(i / 40), observed: x, low: x - 3, high: x + 3, outside: i % 300 === 7 })), band_level: 0.95, band: "order_statistics", outside: 3, checked: n },
    }, { key: { threads: "8" }, n: 3, models: [], skipped: "3 values are too few for a fit" }],
  };
}

export function extreme() {
  const next = random(3);
  const values = range(200).map(() => 0.0151 - 0.0006 * Math.log(-Math.log(next()))).sort((a, b) => a - b);
  return {
    schema: "weir.fit/1", input: { source: "stripe.csv", column: "total_s", rows: 200, values: 200, skipped: 0, problems: [] }, options: { family: "gev", seed: 1 },
    groups: [{ key: {}, n: 200, models: [{ family: "gev", components: 1, bic: -2300, log_likelihood: 1158, converged: true, iterations: 9, parameters: [{ ...component(1, 0.0151, 0.0006), weight_se: null, shape: 0.11, shape_se: 0.06 }] }],
      shape_interval: { low: -0.02, high: 0.24, level: 0.95 }, gumbel_test: { statistic: 2.9, p_value: 0.09 }, return_levels: [0.1, 0.01, 0.001].map((exceedance, i) => ({ exceedance, level: 0.0166 + 0.002 * i, level_se: 0.0002 * (i + 1), profile: { low: 0.0162 + 0.0018 * i, high: 0.0171 + 0.0025 * i, level: 0.95 } })),
      slowest_of: [1, 4, 16].map((targets, i) => ({ targets, mean: 0.0156 + 0.0008 * i, median: 0.0155 + 0.0008 * i, low: 0.0145 + 0.0008 * i, high: 0.0175 + 0.0009 * i, limit_shape: 0.11, distance: 0 })),
      outside: [], plot: { ecdf: values.map((x, i) => ({ x, share: (i + 1) / 200 })), curve: [], quantiles: values.map((x) => ({ model: x, observed: x, low: x - 0.0003, high: x + 0.0003, outside: false })), band_level: 0.95, band: "simulated_refits", outside: 0, checked: 200 } }],
  };
}

export function plan() {
  return {
    schema: "weir.plan/1", input: { source: "runs.csv", column: "throughput" }, options: { precision: 0.1, centered: false, seed: 5 },
    groups: [{ key: {}, n: 900, model: { family: "normal", components: 2 }, runs: 296, independent_runs: 159, table: [1, 30, 40, 50, 100, 150, 250, 500, 1000].map((n) => ({ n, gamma: { 0.1: -1.047 / Math.sqrt(n), 0.9: 1.26 / Math.sqrt(n) } })),
      quantiles: [0.1, 0.9].map((q) => ({ q, quantile: q * 10, gamma_now: 0.04, model_low: q * 9, model_high: q * 11, runs: 110, sample_quantile: q * 10.1, sample_low: q * 9, sample_high: q * 11, runs_without_model: 137, model_agrees: true })),
      dependence: { lag_1: 0.28, dependent: true, effective_n: 483 }, model_trusted: true, notes: ["the order of the runs counts"] }],
  };
}

const noConflicts = { waw_s: 0, waw_d: 0, raw_s: 0, raw_d: 0 };
const models = (broken) => ["posix", "commit", "mpiio", "session", "eventual"].map((name, i) => ({ name, sufficient: i < broken, conflicts: i < broken ? noConflicts : { waw_s: 2 * i, waw_d: i, raw_s: 0, raw_d: 5 * i } }));

export function check(name = "/scratch/shared.dat") {
  const call = (rank, text) => ({ process: 4100 + rank, rank, call: text, start_s: 0.002 * (rank + 1), offset_bytes: 0, length_bytes: 4096 });
  return {
    schema: "weir.check/1", weakest_model: "posix", races: 0, asked: null, counting: "accesses", models: models(1), order: { proven: true, clock_skew_ns: 0, missing_ranks: [], unmatched_count: 0, unmatched: [] }, accesses: 420,
    files: [{ name, weakest_model: "posix", races: 0, accesses: 12, writers: 1, readers: 3, written_bytes: 4096, read_bytes: 12288, models: models(1), pairs: [1, 2, 3].map((rank) => ({ first: { process: 4100, rank: 0 }, second: { process: 4100 + rank, rank }, overlaps: 4 * rank, races: 0, models: ["commit"] })),
      examples: [{ kind: "raw_d", models: ["commit", "session"], first: call(0, `pwrite(3<${name}>, …, 4096, 0)`), second: call(1, `pread(3<${name}>, …, 4096, 0)`) }] },
    { name: "/scratch/out.0.dat", weakest_model: "eventual", races: 0, accesses: 40, writers: 1, readers: 0, written_bytes: 163840, read_bytes: 0, models: models(5), pairs: [], examples: [] }],
    advice: [{ model: "commit", what: "publish", file: name, pairs: 3, after: call(0, "pwrite"), before: { process: 4100, rank: 0, call: "MPI_Barrier(MPI_COMM_WORLD)" }, text: ["rank 0: fsync after pwrite, before MPI_Barrier(MPI_COMM_WORLD)"] }],
    metadata: { dependencies: 2, races: 0, examples: [{ change: { process: 4100, rank: 0, call: `rename(${name}.tmp, ${name})` }, use: { process: 4102, rank: 2, call: `open(${name})` }, race: false }] }, notes: ["one file is mapped: when its bytes change is not known"],
  };
}

export function patterns() {
  return {
    schema: "weir.patterns/1", processes: 8, accesses: 1000,
    groups: [{ name: "/scratch/out.#.dat", access: "write", files: 8, processes: 8, pattern: "N-N", shape: "consecutive", bytes: 1e9 }, { name: "/scratch/shared.dat", access: "write", files: 1, processes: 8, pattern: "N-1", shape: "strided", bytes: 5e8 }],
    local: { consecutive: 900, monotonic: 80, random: 20 }, global: { consecutive: 400, monotonic: 100, random: 500 },
    reads: { count: 100, bytes: 409600, least_bytes: 4096, most_bytes: 4096, bins: [{ from_bytes: 4096, count: 100 }] }, writes: { count: 900, bytes: 9e8, least_bytes: 512, most_bytes: 1048576, bins: [{ from_bytes: 512, count: 50 }, { from_bytes: 1048576, count: 850 }] },
    files: [{ name: "/scratch/shared.dat", access: "write", processes: 8, local: { consecutive: 0, monotonic: 80, random: 0 }, global: { consecutive: 30, monotonic: 10, random: 40 }, sizes: { count: 88, bytes: 88 * 65536, bins: [] }, stride: { first_bytes: 0, stride_bytes: 524288, length_bytes: 65536, phases: 1, cycle_bytes: null } }],
    metadata: [{ function: "stat", layer: "posix", made_by: "program", calls: 40 }, { function: "stat", layer: "posix", made_by: "mpi", calls: 16 }, { function: "ftruncate", layer: "posix", made_by: "hdf5", calls: 8 }],
  };
}

export function validation() {
  const methods = ["lm", "lsp", "mars", "delaunay", "gp"];
  const results = methods.flatMap((method, m) => [0.9, 0.5, 0.2, 0.1].map((train, t) => ({ method, train, are_percent: 30 - 4 * m + 6 * t, standard_error: 0.7, count: 2, scaling: "log x, log y" })));
  const next = random(9);
  return {
    schema: "weir.map-validate/1", input: { source: "runs.csv", column: "mb_s", response: "std of mb_s", factors: ["threads", "size_kb"], split: ["mode"], maps: 2, notes: [] }, options: { splits: 20, seed: 3 }, noise_floor_percent: 13.962, results,
    maps: ["read", "write"].map((mode) => ({ key: { mode }, configurations: 30, noise_floor_percent: 12, results })),
    predictions: ["lm", "gp"].map((method) => { const measured = range(60).map((i) => 1 + 0.2 * i); return { method, train: 0.9, measured, predicted: measured.map((x) => x * (1 + (method === "lm" ? 0.4 : 0.1) * (next() - 0.5))) }; }),
  };
}

export function slice() {
  const [x, y] = [["1", "2", "4", "8", "16", "32"], ["64", "128", "256", "512", "1024"]];
  return { schema: "weir.map-slice/1", input: { source: "runs.csv", response: "std of mb_s" }, x_factor: "threads", y_factor: "size_kb", maps: [{ key: { mode: "read" }, x, y, values: y.map((_, j) => x.map((__, i) => (i === 2 && j === 3 ? null : 1 + i * j))), averaged_over: ["device"] }] };
}

export function lineSlice() {
  return { schema: "weir.map-slice/1", input: { source: "runs.csv", response: "std of mb_s" }, x_factor: "threads", y_factor: null, maps: [{ key: {}, x: ["1", "2", "4"], y: null, values: [[3, null, 7]], averaged_over: [] }] };
}

export function converge() {
  return { schema: "weir.map-converge/1", input: { source: "runs.csv", response: "std of mb_s" }, range_runs: [5, 20], level: 0.9, method: "gp", maps: [{ key: {}, mean_n75: 12.6, mean_n90: 16.6, held_out: 6, width_error_percent: { 5: 15, 10: 7.8, 20: 5 }, width_floor_percent: { 5: 30, 10: 23.3, 20: 12 }, notes: [],
    configurations: range(20).map((i) => ({ configuration: `threads=${i}`, n75: 8 + (i % 6), n90: i === 4 ? null : 12 + (i % 8) })) }] };
}

const interferer = ["open_write_close", "write_seek", "aggregate_write"];
const cell = (probe, signal, chunk_bytes, degradation_percent, more = {}) => ({ probe, signal, chunk_bytes, degradation_percent, low: degradation_percent - 4, high: degradation_percent + 4, best_of_five_percent: degradation_percent - 1, runs: 9, ...more });

export function matrix() {
  return { schema: "weir.interfere-matrix/1", store: "storage.db", campaign: 1, testbed: null, seed: 4, disturbed_runs: 1, failed_runs: 0, warnings: [], alone: interferer.map((probe) => ({ probe, chunk_bytes: 1048576, processes: 2, runs: 9, bytes_per_second: 195035136, variation_percent: 2.1 })),
    cells: interferer.flatMap((probe, i) => interferer.map((signal, j) => cell(probe, signal, 1048576, [[50, 12, 89], [8, 45, 70], [2, -3, 52]][i][j], { serialises: i === 0 && j === 2 }))) };
}

export function sweep() {
  return { schema: "weir.interfere-sweep/1", store: "storage.db", warnings: [], cells: interferer.slice(0, 2).flatMap((probe, p) => range(8).map((i) => cell(probe, "aggregate_write", 65536 * 2 ** i, 10 * (p + 1) + 8 * i))) };
}

// As weir has them: each direction with its own chunk and processes in front.
const both = (probe, signal, mine, other, at, more) => [
  cell(probe, signal, mine.chunk, at, { signal_chunk_bytes: other.chunk, processes: mine.n, signal_processes: other.n, layout: "per_worker", signal_duty: 1, ...more }),
  cell(signal, probe, other.chunk, at + 1, { signal_chunk_bytes: mine.chunk, processes: other.n, signal_processes: mine.n, layout: "per_worker", signal_duty: 1, ...more })];
const of_sweep = (cells) => ({ ...sweep(), cells });
const owc_aw = ["open_write_close", "aggregate_write"];
const kMiB = 1048576;

// --processes 4:1,4:2,4:4
export function processSweep() {
  return of_sweep([1, 2, 4].flatMap((n) => both(...owc_aw, { chunk: kMiB, n: 4 }, { chunk: kMiB, n }, 10 * n)));
}

// --chunk 1M --signal-chunk 64k,1M,16M
export function signalSweep() {
  return of_sweep([kMiB / 16, kMiB, 16 * kMiB].flatMap((chunk, i) => both(...owc_aw, { chunk: kMiB, n: 2 }, { chunk, n: 2 }, 10 * i)));
}

// --chunk 64k,1M --duty 100%,50%: with a duty only the probe is measured.
export function dutySweep() {
  return of_sweep([kMiB / 16, kMiB].flatMap((chunk, i) => [...both(...owc_aw, { chunk, n: 2 }, { chunk, n: 2 }, 40 + i), both(...owc_aw, { chunk, n: 2 }, { chunk, n: 2 }, 20 + i, { signal_duty: 0.5 })[0]]));
}

// --layout per_worker,shared
export function layoutSweep() {
  return of_sweep(["per_worker", "shared"].flatMap((layout, i) => both(...owc_aw, { chunk: kMiB, n: 2 }, { chunk: kMiB, n: 2 }, 10 + 50 * i, { layout })));
}

export function slices() {
  const begin_ns = range(60).map((i) => 1.79e18 + i * 1e9);
  return { schema: "weir.interfere-join/1", metric: "write bytes", slice_ns: 1e9, active_slices: 30, silent_slices: 30, degradation_percent: 60, low: 55, high: 66, dents: [{ begin_ns: begin_ns[10], end_ns: begin_ns[20], depth_percent: 60 }], dents_in_step: 1,
    begin_ns, probe: begin_ns.map((_, i) => (i % 20 < 10 ? 1e8 : 4e7)), signal: begin_ns.map((_, i) => (i % 20 < 10 ? 0 : 9e7)), active: begin_ns.map((_, i) => i % 20 >= 10), storage_bytes: begin_ns.map((_, i) => (i % 20 < 10 ? 1e8 : 1.3e8)) };
}

// Two programs whose writes are not seen, but how many files they close.
export function closes() {
  const document = slices();
  return { ...document, metric: "closes", probe: document.probe.map((value) => value / 1e6), signal: document.signal.map((value) => value / 1e6), notes: ["files are counted: no bytes were seen"] };
}

export function fsStats() {
  return { schema: "weir.fs-stats/1", job: "87436c72", files: 3, extents: 300, segments: 8, bytes: { buffered: 4194304, flushed: 2097152, peer_read: 65536, spilled: 0, written_back: 2097152 }, locks: { new: 40, local: 50, conflict: 10 }, rpcs: { attach: 30, query: 60, open: 9, close: 9, stat: 4 },
    servers: [0, 1].map((server) => ({ server, files: 2 - server, extents: 150, bytes: { buffered: 2097152 }, rpcs: { attach: 15 } })) };
}

export function run(model = "session", program_s = 2.5) {
  return { schema: "weir.run/1", command: ["mpirun", "-n", "4", "./app"], dir: "/scratch/out", model, job: "87436c72", job_file: null, status: 0, start_s: 0.2, program_s, flush_s: 0.7, files: 5, bytes: { published_bytes: 1e9, flushed_bytes: 1e9 }, rpcs: { attach: 12, query: 0, open: 20 } };
}

export function study() {
  const runs = range(12).map((i) => {
    const where = ["own", "session", "posix"][i % 3];
    const io_s = { own: 0.8, session: 0.2, posix: 0.5 }[where] + 0.01 * Math.floor(i / 3);
    return { number: i + 1, where, io_s, run_s: 2 + io_s, start_s: where === "own" ? 0 : 0.06, flush_s: where === "own" ? 0 : 0.1, calls: 1600, read_bytes: 0, written_bytes: 1e8, processes: 5,
      differences: i === 3 || i === 4 ? [{ name: "log", what: "differs from byte 12 on" }] : [] };
  });
  const level = (median) => ({ n: 4, median_s: median, low_s: null, high_s: null, least_s: median - 0.015, most_s: median + 0.015 });
  const sample = (where, io, start, flush) => ({ where, io: level(io), run: level(2 + io), start: level(start), flush: level(flush), whole: level(2 + io + start + flush), bandwidth_bytes_per_s: 1e8 / io });
  const gain = (factor) => ({ factor, low: factor * 0.9, high: factor * 1.1, p_value: 0.001 });
  return {
    schema: "weir.study/1", command: ["mpirun", "-n", "4", "./checkpoint", "out"], directory: "/scratch/out", directory_share: 1, outside: [], processes: 4, files: 3, written_bytes: 1e8, traced_s: 2.9,
    consistency: { weakest_model: "session", races: 0, proven: true }, model: "session", pattern: { pattern: "write_seek", chunk_bytes: 65536, processes: 4, files: 3 }, runs_wanted: 4, budget_s: null, stopped_by_budget: true,
    samples: [sample("own", 0.815, 0, 0), sample("session", 0.215, 0.06, 0.1), sample("posix", 0.515, 0.06, 0.1)], gain: { io: gain(0.815 / 0.215), run: gain(2.815 / 2.215), whole: gain(2.815 / 2.375) },
    results: { same: true, runs_compared: 8, runs_different: 0, files: 3, compared_bytes: 8e8, varying: ["log"], examples: [] },
    io_models: { own: { family: "gamma", components: 1, bic: -3 }, session: { family: "lognormal", components: 1, bic: -9 } }, run_models: {}, runs_needed: { own: 30, session: 41 }, precision: 0.1, interference: null, runs,
    documents: [], page: "/scratch/study/page.html", notes: ["log was there and the traced run changed it"],
    summary: ["program       mpirun -n 4 ./checkpoint out", "consistency   session is enough, proven from its trace", "gain          I/O 3.79 times [3.41, 4.17] shorter"],
  };
}

// The same program with races: no model is enough, and it ran under the strongest.
export function racyStudy() {
  return { ...study(), consistency: { weakest_model: null, races: 2, proven: true }, model: "posix", summary: ["program       mpirun -n 4 ./checkpoint out", "consistency   no model is enough: 2 races; it ran under posix"] };
}

// Six processes on three targets: as many on each, or by chance none on the first. As weir has it, a run lists only the targets that
// were written to, has a row of bytes for each of all, and its tail is a share of the bytes.
export function balance() {
  const targets = ["/mnt/t0", "/mnt/t1", "/mnt/t2"];
  const slice = 5162220;
  const run = (placement, target_of) => {
    const files = targets.map((_, t) => target_of.filter((one) => one === t).length);
    const written_bytes = files.map((n) => range(40).map((i) => (i < 6 * n ? slice : 0)));
    const used = range(targets.length).filter((t) => files[t] > 0);
    const end = (t) => 0.6 * files[t];
    const [first, last] = [Math.min(...used.map(end)), Math.max(...used.map(end))];
    const all = written_bytes.flat().reduce((a, b) => a + b, 0);
    const late = written_bytes.map((row) => row.slice(Math.round(10 * first))).flat().reduce((a, b) => a + b, 0);
    return { placement, target_of, process_s: target_of.map(end), seen_by: "storage", disturbed: null,
      targets: used.map((t) => ({ name: targets[t], bytes: 6 * files[t] * slice, end_s: end(t), bytes_per_second: 10 * slice, straggler: end(t) > 1.25 * first })),
      whole_s: last, tail_s: last - first, tail_share: late / all, imbalance_percent: 40 * (last - first), slice_ns: 1e8, begin_ns: range(40).map((i) => 1.79e18 + i * 1e8), written_bytes };
  };
  return { schema: "weir.interfere-balance/1", targets, testbed: null, processes: 6, size_bytes: 6 * slice, spread_reduction_percent: 91,
    placements: [{ placement: "balanced", runs: 9, disturbed: 0, runtime_s: 1.3, spread_s: 0.05, tail_share: 0, imbalance_percent: 3.8, stragglers: {} }, { placement: "random", runs: 9, disturbed: 1, runtime_s: 1.9, spread_s: 0.55, tail_share: 0.3, imbalance_percent: 33, stragglers: { "/mnt/t2": 5 } }],
    runs: [run("balanced", [0, 0, 1, 1, 2, 2]), run("random", [1, 2, 2, 2, 2, 2])] };
}

// A word as long as paths become, with no place in it where a browser would break a line.
export const long_word = "averylongnamewithoutanyplacetobreak".repeat(5);

// The same document with long names and texts everywhere but where a word is one of a few that Weir knows.
export function long_named(value, key = "") {
  if (typeof value === "string") return ["schema", "family", "kind", "timing"].includes(key) ? value : `${value}${long_word}`;
  if (Array.isArray(value)) return value.map((one) => long_named(one, key));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, long_named(one, name)]));
}

// Every kind once, by the name of its page.
export const every = {
  trace, "large-trace": largeTrace, stat, check, patterns, fit, extreme, plan, validation, slice, converge, matrix, sweep, "process-sweep": processSweep, "duty-sweep": dutySweep, "layout-sweep": layoutSweep, slices, closes, "line-slice": lineSlice, balance, "fs-stats": fsStats, run, study, "racy-study": racyStudy,
};
