#include "cli/map.hpp"

#include <array>

#include "cli/commands.hpp"

namespace weir::cli {
namespace {

constexpr std::array kParts = {&kMapValidate, &kMapFit,      &kMapPredict, &kMapAnova,
                               &kMapSlice,    &kMapConverge, &kMapPropose};
constexpr std::array kExamples = {
    Example{"weir map validate runs.csv --factors threads,file_kb,record_kb --from-runs mb_s",
            "how well each method predicts the spread of unmeasured configurations"},
    Example{"weir map fit runs.csv --factors threads,file_kb,record_kb --from-runs mb_s --out spread.map",
            "keep the map"},
    Example{"weir map predict spread.map --at threads=48,file_kb=512,record_kb=64",
            "how variable will this be, with an interval"},
    Example{"weir map propose runs.csv --factors threads,file_kb,record_kb --from-runs mb_s --runs 400",
            "what to measure next"},
};

}  // namespace

const Command kMap = {
    .name = "map",
    .summary = "how variable unmeasured configurations will be, how sure that is, and what to measure next",
    .examples = kExamples,
    .parts = kParts,
};

}  // namespace weir::cli
