#include "cli/communication.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/table.hpp"
#include "base/units.hpp"

namespace weir::cli {
namespace {

using semantics::Channel;
using semantics::Communication;

constexpr std::size_t kWidest = 16;  // ranks that a matrix on a page may have

// A process by its rank; those of a second world by their place in the list too.
std::string name_of(const trace::TraceFile& trace, std::uint32_t process) {
  const std::int64_t rank = trace.processes()[process].rank;
  const auto same = std::count_if(trace.processes().begin(), trace.processes().end(),
                                  [&](const trace::ProcessInfo& one) { return one.rank == rank; });
  return same == 1 ? fmt::format("{}", rank) : fmt::format("{} (process {})", rank, process);
}

std::string cell(const Channel& channel) {
  return fmt::format("{} / {}", format_count(channel.messages), format_bytes(Bytes(channel.bytes)));
}

void print_matrix(const trace::TraceFile& trace, const Communication& communication,
                  const std::vector<std::uint32_t>& ranks, Output& out) {
  std::vector<Table::Column> columns = {{"from \\ to"}};
  for (const std::uint32_t to : ranks) columns.push_back({name_of(trace, to), Table::right});
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Channel*> cells;
  for (const Channel& channel : communication.channels) cells[{channel.from, channel.to}] = &channel;
  Table table(columns);
  for (const std::uint32_t from : ranks) {
    std::vector<std::string> row = {name_of(trace, from)};
    for (const std::uint32_t to : ranks) {
      const auto found = cells.find({from, to});
      row.push_back(found == cells.end() ? "-" : cell(*found->second));
    }
    table.row(std::move(row));
  }
  out.table(table);
}

void print_pairs(const trace::TraceFile& trace, const Communication& communication, std::size_t top,
                 Output& out) {
  std::vector<Channel> channels = communication.channels;
  std::stable_sort(channels.begin(), channels.end(),
                   [](const Channel& a, const Channel& b) { return a.bytes > b.bytes; });
  Table table({{"from"}, {"to"}, {"messages", Table::right}, {"bytes", Table::right}});
  for (std::size_t i = 0; i < std::min(top, channels.size()); ++i)
    table.row({name_of(trace, channels[i].from), name_of(trace, channels[i].to),
               format_count(channels[i].messages), format_bytes(Bytes(channels[i].bytes))});
  out.table(table);
  if (channels.size() > top)
    out.print("{} more pairs of ranks: --top {}\n", format_count(channels.size() - top), channels.size());
}

}  // namespace

Json communication_json(const trace::TraceFile& trace, const Communication& communication) {
  Json made;
  made["channels"] = Json::array();
  for (const Channel& channel : communication.channels)
    made["channels"].push_back({{"from", trace.processes()[channel.from].rank},
                                {"to", trace.processes()[channel.to].rank},
                                {"from_process", channel.from},
                                {"to_process", channel.to},
                                {"messages", channel.messages},
                                {"bytes", channel.bytes}});
  made["messages_of_unknown_size"] = communication.unsized;
  made["messages_to_unknown"] = communication.unplaced;
  return made;
}

void print_communication(const trace::TraceFile& trace, const Communication& communication, std::size_t top,
                         Output& out) {
  out.write("\n");
  if (communication.channels.empty()) {
    out.print("no messages between ranks\n");
    return;
  }
  std::vector<std::uint32_t> ranks;
  for (const Channel& channel : communication.channels) ranks.insert(ranks.end(), {channel.from, channel.to});
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  out.print("messages / bytes between ranks\n");
  if (ranks.size() <= kWidest)
    print_matrix(trace, communication, ranks, out);
  else
    print_pairs(trace, communication, top, out);
  if (communication.unsized > 0)
    out.print("{} messages are of a datatype that was not seen made: their bytes are not counted\n",
              format_count(communication.unsized));
  if (communication.unplaced > 0)
    out.print("{} messages went to processes that are not in the trace\n",
              format_count(communication.unplaced));
}

}  // namespace weir::cli
