#include "trace/timing/detail/quant.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "trace/timing/detail/codebook.hpp"
#include "trace/timing/detail/coding_order.hpp"
#include "trace/timing/detail/flat_index.hpp"
#include "trace/timing/detail/range_coder.hpp"
#include "trace/timing/detail/step.hpp"

namespace weir::trace::detail {

namespace {

// Signatures beyond these share contexts.
constexpr std::size_t kContextSignatures = 1024;
// Runs of records in the same context must be this many for a prediction of their own.
constexpr std::uint32_t kFewestForPrediction = 48;

std::size_t context_signatures(const LocalSignatures& local) {
  return std::min(local.size(), kContextSignatures);
}

// A number by its length and its bits; the highest three below the leading one are modelled.
class NumberModel {
 public:
  // Leaves out the lowest drop(length) bits of the number.
  template <class Coder, class Drop>
  std::uint64_t code(Coder& coder, std::uint64_t value, const Drop& drop) {
    const unsigned length = length_.code(coder, static_cast<unsigned>(std::bit_width(value)));
    if (length == 0) return 0;
    const unsigned dropped = std::min(drop(length), length - 1);
    unsigned left = length - 1 - dropped;
    const unsigned modelled = std::min(left, 3u);
    std::uint64_t result = 1;
    unsigned node = 1;
    for (unsigned i = 0; i < modelled; ++i) {
      --left;
      const unsigned bit =
          coder.bit(high_[length][node], static_cast<unsigned>(value >> (dropped + left)) & 1);
      node = (node << 1) | bit;
    }
    result = node;
    if (left > 0)
      result = (result << left) | coder.raw((value >> dropped) & ((std::uint64_t{1} << left) - 1), left);
    return result << dropped;
  }

 private:
  TreeModel<6> length_;
  std::array<std::array<BitModel, 8>, 64> high_;
};

// ---- durations ----

// Codes the rank of each duration in its codebook, or the duration itself.
class DurationModel {
 public:
  explicit DurationModel(std::size_t signatures) : contexts_(signatures * kContexts), rest_(signatures) {}

  // The rank, in the context of the ranks of the two durations coded before it.
  template <class Coder>
  std::uint32_t rank(Coder& coder, std::size_t signature, std::uint32_t before, std::uint32_t before_that,
                     std::uint32_t rank) {
    auto& context = contexts_[signature * kContexts + std::min(before, 4u) * 5 + std::min(before_that, 4u)];
    for (std::uint32_t i = 0; i < kUnary; ++i)
      if (coder.bit(context[i], rank == i ? 1 : 0) != 0) return i;
    return rest_[signature].code(coder, rank);
  }
  template <class Coder>
  std::uint64_t escaped(Coder& coder, const ErrorBound& bound, std::uint64_t duration) {
    // The largest d with 2^d <= 2 tolerance + 1, for the least tolerance of that length.
    const auto droppable = [&](unsigned length) {
      return static_cast<unsigned>(std::bit_width(bound.tolerance(std::uint64_t{1} << (length - 1))));
    };
    const std::uint64_t kept = number_.code(coder, duration, droppable);
    if (kept == 0) return 0;
    // The middle of what the kept bits leave open.
    const unsigned dropped = droppable(static_cast<unsigned>(std::bit_width(kept)));
    return kept + ((std::uint64_t{1} << dropped) >> 1);
  }

 private:
  static constexpr std::uint32_t kUnary = 4;
  static constexpr std::size_t kContexts = 25;
  std::vector<std::array<BitModel, kUnary>> contexts_;
  std::vector<TreeModel<8>> rest_;
  NumberModel number_;
};

struct Durations {
  std::vector<std::uint64_t> decoded;
  std::vector<std::uint8_t> rank;
};

template <class Coder>
Result<void> code_durations(Coder& coder, std::span<const std::uint64_t> given, const LocalSignatures& local,
                            const ErrorClasses& classes, const std::vector<Codebook>& books, bool clustered,
                            Durations& out) {
  const std::size_t records = local.of_record.size();
  const std::size_t signatures = context_signatures(local);
  out.decoded.resize(records);
  out.rank.resize(records);
  DurationModel model(signatures);
  std::uint32_t before = 0;
  std::uint32_t before_that = 0;
  for (const std::uint32_t i : coding_order(local, clustered)) {
    const std::uint32_t signature = local.of_record[i];
    const Codebook& book = books[classes.of_signature[signature]];
    std::uint32_t rank = 0;
    if constexpr (!Coder::kDecodes) rank = book.rank(given[i]);
    rank = model.rank(coder, std::min<std::size_t>(signature, signatures - 1), before, before_that, rank);
    if (rank == Codebook::kNone) {
      std::uint64_t duration = 0;
      if constexpr (!Coder::kDecodes) duration = given[i];
      out.decoded[i] = clamp_duration(model.escaped(coder, classes.bound(signature), duration));
    } else {
      if (rank >= book.size()) return Error{Errc::bad_data, "a duration that is not in the codebook"};
      out.decoded[i] = book.value(rank);
    }
    out.rank[i] = static_cast<std::uint8_t>(rank);
    before_that = before;
    before = rank;
  }
  return {};
}

// ---- starts ----

// Where a record is expected to start: `offset` after the end (or the start) of the record before.
struct Prediction {
  bool from_start = false;
  std::int64_t offset = 0;
};

// The records that share a prediction: same signature, same signature before, same rank of the duration
// before.
struct Situations {
  Situations(const LocalSignatures& local, const std::vector<std::uint8_t>& rank) : of_record(rank.size()) {
    FlatIndex index;
    for (std::size_t i = 1; i < rank.size(); ++i) {
      const std::uint64_t key = (std::uint64_t{local.of_record[i - 1]} << 32 | local.of_record[i]) * 4 +
                                std::min<std::uint8_t>(rank[i - 1], 3);
      of_record[i] = index.number(key);
      if (of_record[i] == count.size()) count.push_back(0);
      ++count[of_record[i]];
    }
  }
  std::vector<std::uint32_t> of_record;
  std::vector<std::uint32_t> count;
};

// The middle of most of the values: the mean of those close to the median.
std::int64_t centre(std::vector<std::int64_t>& values, std::uint64_t close) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const std::int64_t median = *middle;
  Wide sum = 0;
  std::int64_t count = 0;
  for (const std::int64_t value : values) {
    const Wide distance = Wide{value} - median;
    if ((distance < 0 ? -distance : distance) > Wide{close}) continue;
    sum += distance;
    ++count;
  }
  return clamp_start(median + sum / count);
}

std::vector<Prediction> choose_predictions(const TimesView& times,
                                           const std::vector<std::uint64_t>& durations,
                                           const LocalSignatures& local, const ErrorClasses& classes,
                                           const Situations& situations) {
  std::vector<std::size_t> next(situations.count.size());
  std::exclusive_scan(situations.count.begin(), situations.count.end(), next.begin(), std::size_t{0});
  std::vector<std::uint32_t> records(times.size());
  for (std::uint32_t i = 1; i < times.size(); ++i) records[next[situations.of_record[i]]++] = i;
  std::vector<Prediction> predictions(situations.count.size());
  std::vector<std::int64_t> values;
  for (std::size_t s = 0; s < situations.count.size(); ++s) {
    if (situations.count[s] < kFewestForPrediction) continue;
    const std::span<const std::uint32_t> members(records.data() + next[s] - situations.count[s],
                                                 situations.count[s]);
    std::size_t most = 0;
    for (const bool from_start : {false, true}) {
      const auto residual = [&](std::uint32_t i) {
        const std::int64_t interval = times.start[i] - times.start[i - 1];
        return from_start ? interval : clamp_start(Wide{interval} - durations[i - 1]);
      };
      values.clear();
      std::vector<std::uint64_t> sizes;
      for (const std::uint32_t i : members) {
        values.push_back(residual(i));
        sizes.push_back(magnitude(times.start[i] - times.start[i - 1]));
      }
      std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2),
                       sizes.end());
      const ErrorBound& bound = classes.bound(local.of_record[members.front()]);
      const std::int64_t offset = centre(values, bound.tolerance(sizes[sizes.size() / 2]));
      std::size_t good = 0;
      for (const std::uint32_t i : members) {
        const Wide distance = Wide{residual(i)} - offset;
        const std::uint64_t tolerance = bound.tolerance(magnitude(times.start[i] - times.start[i - 1]));
        if ((distance < 0 ? -distance : distance) <= Wide{tolerance / 2}) ++good;
      }
      if (!from_start || good > most) {
        most = good;
        predictions[s] = {.from_start = from_start, .offset = offset};
      }
    }
  }
  return predictions;
}

void write_predictions(const std::vector<Prediction>& predictions, const Situations& situations,
                       ByteWriter& out) {
  for (std::size_t s = 0; s < predictions.size(); ++s) {
    if (situations.count[s] < kFewestForPrediction) continue;
    out.u8(predictions[s].from_start ? 1 : 0);
    out.signed_varint(predictions[s].offset);
  }
}

Result<std::vector<Prediction>> read_predictions(ByteReader& in, const Situations& situations) {
  std::vector<Prediction> predictions(situations.count.size());
  for (std::size_t s = 0; s < predictions.size(); ++s) {
    if (situations.count[s] < kFewestForPrediction) continue;
    const auto from_start = in.u8();
    if (!from_start) return from_start.error();
    if (*from_start > 1) return Error{Errc::bad_data, "a prediction of an unknown kind"};
    const auto offset = in.signed_varint();
    if (!offset) return offset.error();
    predictions[s] = {.from_start = *from_start == 1, .offset = clamp_start(*offset)};
  }
  return predictions;
}

// Codes the distance of each start from its prediction: mostly nothing; otherwise a multiple of a power of
// two not above the tolerance.
class StartModel {
 public:
  explicit StartModel(std::size_t signatures) : same_(signatures) {}

  template <class Coder>
  Step code(Coder& coder, std::size_t signature, Step step) {
    step.none = coder.bit(same_[signature][history_], step.none ? 1 : 0) != 0;
    history_ = (history_ * 2 + (step.none ? 1 : 0)) % kHistories;
    if (step.none) return step;
    step.negative = coder.bit(negative_, step.negative ? 1 : 0) != 0;
    step.shift = shift_[signature % kShiftContexts].code(coder, step.shift);
    step.multiple = multiple_.code(coder, step.multiple, [](unsigned) { return 0u; });
    return step;
  }

 private:
  static constexpr unsigned kHistories = 16;
  static constexpr std::size_t kShiftContexts = 16;
  std::vector<std::array<BitModel, kHistories>> same_;
  unsigned history_ = 0;
  BitModel negative_;
  std::array<TreeModel<6>, kShiftContexts> shift_;
  NumberModel multiple_;
};

template <class Coder>
void code_starts(Coder& coder, std::span<const std::int64_t> given, std::int64_t first,
                 const LocalSignatures& local, const ErrorClasses& classes,
                 const std::vector<std::uint64_t>& durations, const Situations& situations,
                 const std::vector<Prediction>& predictions, std::span<std::int64_t> decoded) {
  const std::size_t signatures = context_signatures(local);
  StartModel model(signatures);
  std::int64_t at = first;
  if constexpr (Coder::kDecodes) decoded[0] = at;
  for (std::size_t i = 1; i < durations.size(); ++i) {
    const std::uint32_t signature = local.of_record[i];
    const Prediction& prediction = predictions[situations.of_record[i]];
    const std::int64_t expected = clamp_start(Wide{at} + prediction.offset +
                                              (prediction.from_start ? Wide{0} : Wide{durations[i - 1]}));
    Step step;
    if constexpr (!Coder::kDecodes)
      step = step_for(given[i] - expected,
                      classes.bound(signature).tolerance(magnitude(given[i] - given[i - 1])));
    step = model.code(coder, std::min<std::size_t>(signature, signatures - 1), step);
    at = step.from(expected);
    if constexpr (Coder::kDecodes) decoded[i] = at;
  }
}

void write_code(RangeEncoder& coder, ByteWriter& out) {
  const ByteSpan bytes = coder.finish();
  out.varint(bytes.size());
  out.bytes(bytes);
}

Result<RangeDecoder> read_code(ByteReader& in) {
  const auto size = in.varint();
  if (!size) return size.error();
  const auto bytes = in.bytes(*size);
  if (!bytes) return bytes.error();
  return RangeDecoder(*bytes);
}

}  // namespace

void encode_quant(const TimesView& times, const LocalSignatures& local, const ErrorClasses& classes,
                  bool clustered, ByteWriter& out) {
  out.u8(clustered ? 1 : 0);
  std::vector<Codebook> books;
  if (classes.bounds.size() == 1) {
    books.push_back(Codebook::build(times.duration, classes.bounds[0]));
  } else {
    std::vector<std::vector<std::uint64_t>> of_class(classes.bounds.size());
    for (std::size_t i = 0; i < times.size(); ++i)
      of_class[classes.of_signature[local.of_record[i]]].push_back(times.duration[i]);
    for (std::size_t i = 0; i < of_class.size(); ++i)
      books.push_back(Codebook::build(of_class[i], classes.bounds[i]));
  }
  for (const Codebook& book : books) book.write(out);
  Durations durations;
  RangeEncoder duration_coder;
  const auto done =
      code_durations(duration_coder, times.duration, local, classes, books, clustered, durations);
  WEIR_CHECK(done.has_value());
  write_code(duration_coder, out);

  out.signed_varint(times.start[0]);
  const Situations situations(local, durations.rank);
  const auto predictions = choose_predictions(times, durations.decoded, local, classes, situations);
  write_predictions(predictions, situations, out);
  RangeEncoder start_coder;
  code_starts(start_coder, times.start, times.start[0], local, classes, durations.decoded, situations,
              predictions, {});
  write_code(start_coder, out);
}

Result<void> decode_quant(ByteReader& in, const LocalSignatures& local, const ErrorClasses& classes,
                          const TimesOut& out) {
  const auto clustered = in.u8();
  if (!clustered) return clustered.error();
  if (*clustered > 1) return Error{Errc::bad_data, "an unknown order of durations"};
  std::vector<Codebook> books;
  for (std::size_t i = 0; i < classes.bounds.size(); ++i) {
    auto book = Codebook::parse(in);
    if (!book) return book.error();
    books.push_back(std::move(*book));
  }
  auto duration_coder = read_code(in);
  if (!duration_coder) return duration_coder.error();
  Durations durations;
  if (auto done = code_durations(*duration_coder, {}, local, classes, books, *clustered == 1, durations);
      !done)
    return done;
  std::copy(durations.decoded.begin(), durations.decoded.end(), out.duration.begin());

  const auto first = in.signed_varint();
  if (!first) return first.error();
  const Situations situations(local, durations.rank);
  const auto predictions = read_predictions(in, situations);
  if (!predictions) return predictions.error();
  auto start_coder = read_code(in);
  if (!start_coder) return start_coder.error();
  code_starts(*start_coder, {}, clamp_start(*first), local, classes, durations.decoded, situations,
              *predictions, out.start);
  return {};
}

}  // namespace weir::trace::detail
