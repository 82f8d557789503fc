#pragma once

#include <memory>
#include <utility>

#include "burst/shard.hpp"

// How a shard's handlers are called: the body decoded, the changes kept before the answer goes.
namespace weir::burst {

// What is seen on opening a file can be a million extents; told again, it is looked up again.
inline Bytes to_keep(const Outcome<Opened>& outcome, const Bytes& /*answer*/) {
  Opened kept = outcome.body;
  kept.extents.clear();
  return encode_answer(kept);
}
template <class Answer>
const Bytes& to_keep(const Outcome<Answer>& /*outcome*/, const Bytes& answer) {
  return answer;
}

template <class Answer>
Bytes Shard::conclude(const Header& header, Changes changes, const Outcome<Answer>& outcome) {
  Bytes answer = encode_outcome(outcome);
  if (answer.size() > longest_answer_) return encode_failure(EMSGSIZE);
  // A refusal changed nothing: asked again it may well be granted.
  if (outcome && header.sequence != 0)
    changes.emplace_back(Answered{header.client, header.sequence, to_keep(outcome, answer)});
  if (const int error = outcome ? commit(changes) : 0; error != 0) return encode_failure(error);
  return answer;
}

template <class Body>
void Shard::at_once(const Header& header, ByteSpan body, Respond respond,
                    Outcome<typename Body::Answer> (Shard::*run)(const Header&, const Body&, Changes&)) {
  const auto request = transport::unpack<Body>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  Changes changes;
  const auto outcome = (this->*run)(header, *request, changes);
  std::move(respond)(conclude(header, std::move(changes), outcome));
}

template <class Body>
void Shard::later(const Header& header, ByteSpan body, Respond respond,
                  void (Shard::*run)(const Header&, const Body&, Then<typename Body::Answer>)) {
  const auto request = transport::unpack<Body>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  // std::function wants to be copied, Respond does not: shared between the copies, used once.
  auto kept = std::make_shared<Respond>(std::move(respond));
  (this->*run)(header, *request, [this, header, kept](const Outcome<typename Body::Answer>& outcome) {
    std::move (*kept)(conclude(header, {}, outcome));
  });
}

template <class Body>
void Shard::at_the_end(const Header& header, ByteSpan body, Respond respond,
                       void (Shard::*run)(const Header&, const Body&, End)) {
  const auto request = transport::unpack<Body>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  auto kept = std::make_shared<Respond>(std::move(respond));
  (this->*run)(header, *request, [this, header, kept](const Outcome<Nothing>& outcome, Changes changes) {
    std::move (*kept)(conclude(header, std::move(changes), outcome));
  });
}

}  // namespace weir::burst
