#pragma once

#include "base/json.hpp"
#include "burst/client/session.hpp"
#include "burst/verify_protocol.hpp"

namespace weir::cli {

// What the servers of a job found out about reads under weak models. An Error when one of them cannot be
// asked: then nothing is proven.
Result<burst::Verdict> verdict_of(burst::Session& session);
// Before a program starts on servers that were there already: what they found before is not its doing.
Result<void> begin_verifying(burst::Session& session);

Json verdict_json(const burst::Verdict& verdict, const burst::Job& job);
// For people, on stderr: the first stale reads and how many there are.
void print_verdict(const burst::Verdict& verdict, const burst::Job& job);

}  // namespace weir::cli
