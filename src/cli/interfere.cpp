#include "cli/interfere.hpp"

#include <array>

#include "cli/commands.hpp"

namespace weir::cli {
namespace {

constexpr std::array kParts = {&kInterfereMatrix,   &kInterfereSweep,  &kInterfereSlices,
                               &kInterfereClassify, &kInterfereAdvise, &kInterfereBalance};
constexpr std::array kExamples = {
    Example{"weir interfere matrix --dir /scratch/me --chunk 1M,16M",
            "three write patterns beside each other"},
    Example{"weir interfere matrix --testbed loop --chunk 1M",
            "the same on a throttled loop device; needs root"},
    Example{"weir interfere sweep --probe owc --signal aw --chunk 64k,1M,16M --dir /scratch/me",
            "how the loss goes with the size of the writes"},
};

}  // namespace

const Command kInterfere = {
    .name = "interfere",
    .summary = "who slows whom down on shared storage, and by how much",
    .examples = kExamples,
    .parts = kParts,
};

}  // namespace weir::cli
