#pragma once

#include <memory>
#include <utility>

#include "burst/shard.hpp"

// How a shard's handlers are called: the body decoded, the changes kept before the answer goes.
namespace weir::burst {

template <class Answer>
Bytes Shard::conclude(const Header& header, Changes changes, const Outcome<Answer>& outcome) {
  Bytes answer = outcome ? encode_answer(outcome.body) : encode_failure(outcome.error);
  // A refusal changed nothing: asked again it may well be granted.
  if (outcome && header.sequence != 0) changes.emplace_back(Answered{header.client, header.sequence, answer});
  if (const int error = outcome ? commit(changes) : 0; error != 0) return encode_failure(error);
  return answer;
}

template <class Body>
void Shard::at_once(const Header& header, ByteSpan body, Respond respond,
                    Outcome<typename Body::Answer> (Shard::*run)(const Header&, const Body&, Changes&)) {
  const auto request = transport::unpack<Body>(body);
  if (!request) return std::move(respond)(encode_failure(EPROTO));
  Changes changes;
  const auto outcome = (this->*run)(header, *request, changes);
  std::move(respond)(conclude(header, std::move(changes), outcome));
}

template <class Body>
void Shard::later(const Header& header, ByteSpan body, Respond respond,
                  void (Shard::*run)(const Header&, const Body&, Then<typename Body::Answer>)) {
  const auto request = transport::unpack<Body>(body);
  if (!request) return std::move(respond)(encode_failure(EPROTO));
  // std::function wants to be copied, Respond does not: shared between the copies, used once.
  auto kept = std::make_shared<Respond>(std::move(respond));
  (this->*run)(header, *request, [this, header, kept](const Outcome<typename Body::Answer>& outcome) {
    std::move (*kept)(conclude(header, {}, outcome));
  });
}

}  // namespace weir::burst
