// Writes inputs for trace_fuzz into a directory: real traces, and the same as plain ones. Of version 1 those
// that are kept for the tests. Inputs for lane_fuzz, what the lanes held, go into a second directory.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>

#include "base/file.hpp"
#include "base/scratch_dir.hpp"
#include "plain_trace.hpp"
#include "trace/lane_file.hpp"
#include "trace/made_run_test.hpp"
#include "trace/own_sections_test.hpp"

namespace {

using namespace weir;
using namespace weir::trace::made;

void write(const std::filesystem::path& path, ByteSpan bytes) {
  std::ofstream(path, std::ios::binary) << as_text(bytes);
}

void write_lanes(const std::filesystem::path& run, bool timed, const std::string& to) {
  std::size_t number = 0;
  for (const auto& entry : std::filesystem::directory_iterator(run / trace::live::kFolder)) {
    if (entry.path().extension() != trace::live::kSuffix) continue;
    auto lane = trace::LaneFile::open(entry.path());
    if (!lane) continue;
    ByteWriter out;
    out.u8(timed ? 1 : 0);
    for (;;) {
      const auto words = lane->next();
      if (!words || words->empty()) break;
      for (const std::uint32_t word : *words) out.u32(word);
    }
    write(to + std::to_string(number++), out.view());
  }
}

void make(const std::filesystem::path& run, bool timed, trace::TimingMode mode, const std::string& lanes) {
  for (const std::int32_t rank : {0, 1, 2}) {
    const auto process = static_cast<std::uint64_t>(100 + rank);
    Lane lane(run, {.process = process, .parent = 1, .number = 0, .start = 1000, .timed = timed, .lost = 0});
    lane.rank(rank, 3, 10 * rank, 20);
    lane.communicator(1, static_cast<std::uint32_t>(rank), {{0, 1, 3}}, {{3, 2, 2}});
    lane.call("lseek", 0, {literal(5), relative(1), literal(rank * rank)}, literal(rank), 90, 1);
    lane.call("lseek", 0,
              {list(item(3) + relative_item(1) + name_item("x") + null_item()), literal(0), literal(0)},
              literal(0), 95, 1);
    lane.program("/bin/app", "/scratch", std::string("app\0-x\0", 7));
    lane.thread(process);
    lane.call("open", 0, {path("ckpt_\x01\x34.dat", {rank}), literal(0102), literal(0644)},
              opened(0, 3 + rank), 100, 20);
    for (unsigned i = 0; i < 20; ++i)
      lane.call("pwrite", 0, {handle(0), absent(), column(i * i), distance(8)}, full(), 200 + 10 * i,
                5 + i % 3);
    lane.inherited(1, 5, "/scratch/in");
    lane.call("dup2", 0, {handle(0), literal(5)}, opened(1, 5), 500, 3);
    lane.call("read", 1, {handle(1), absent(), literal(64)}, failed(9), 510, 2);
    lane.call("lseek", 0, {handle(0), literal(4), literal(0)}, full(), 509, 9);
    lane.call("close", 0, {handle(0)}, literal(0), 600, 9);
  }
  write_lanes(run, timed, lanes);
  if (const auto merged = merge(run, mode); !merged) {
    std::puts(merged.error().text().c_str());
    std::exit(1);
  }
}

std::vector<std::byte> plain_of(ByteSpan file) {
  ByteWriter out;
  ByteReader in(file);
  (void)in.u64();
  if (*in.u32() == 1) out.u8(fuzz::kFirstVersion);
  (void)in.u32();
  while (in.remaining() > trace::kFooterBytes) {
    const auto type = static_cast<trace::Section>(*in.u32());
    (void)in.u32();
    const std::uint64_t length = *in.u64();
    (void)in.u64();
    const ByteSpan payload = *in.bytes(length);
    ByteReader body(payload);
    const std::vector<std::byte> plain = fuzz::is_packed(type)
                                             ? *take_packed(body, trace::kMostTableBytes)
                                             : std::vector<std::byte>(payload.begin(), payload.end());
    for (std::size_t i = 0; i < fuzz::kSections.size(); ++i)
      if (fuzz::kSections[i] == type) out.u8(static_cast<std::uint8_t>(i));
    out.u16(static_cast<std::uint16_t>(plain.size()));
    out.u8(static_cast<std::uint8_t>(plain.size() >> 16));
    out.bytes(plain);
  }
  return std::move(out).take();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::filesystem::path to = argv[1];
  const std::filesystem::path lanes = argv[2];
  std::filesystem::create_directories(lanes);
  std::filesystem::create_directories(to);
  for (const trace::TimingMode mode :
       {trace::TimingMode::off, trace::TimingMode::lossless, trace::TimingMode::quant}) {
    const ScratchDir scratch;
    make(scratch.path(), mode != trace::TimingMode::off, mode,
         (lanes / std::string(trace::name(mode))).string() + "-");
    const auto text = read_text(scratch.path() / trace::kFileName);
    if (!text) {
      std::puts(text.error().text().c_str());
      return 1;
    }
    const std::string name(trace::name(mode));
    write(to / ("file-" + name), as_bytes(*text));
    const std::vector<std::byte> plain = plain_of(as_bytes(with_own_sections(*text)));
    write(to / ("plain-" + name), plain);
    std::vector<std::byte> grouped = {std::byte{fuzz::kGrouped}};
    grouped.insert(grouped.end(), plain.begin(), plain.end());
    write(to / ("grouped-" + name), grouped);
  }
  for (const std::filesystem::path old : std::span(argv + 3, argv + argc)) {
    const auto text = read_text(old);
    if (!text) {
      std::puts(text.error().text().c_str());
      return 1;
    }
    write(to / ("file-" + old.stem().string()), as_bytes(*text));
    write(to / ("plain-" + old.stem().string()), plain_of(as_bytes(*text)));
  }
  return 0;
}
