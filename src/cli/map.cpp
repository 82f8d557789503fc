#include "cli/map.hpp"

#include <array>

#include "cli/commands.hpp"

namespace weir::cli {
namespace {

constexpr std::array kParts = {&kMapValidate};
constexpr std::array kExamples = {
    Example{"weir map validate runs.csv --factors threads,file_kb,record_kb --from-runs mb_s",
            "how well each method predicts the spread of unmeasured configurations"},
};

}  // namespace

const Command kMap = {
    .name = "map",
    .summary = "how variable unmeasured configurations will be, how sure that is, and what to measure next",
    .examples = kExamples,
    .parts = kParts,
};

}  // namespace weir::cli
