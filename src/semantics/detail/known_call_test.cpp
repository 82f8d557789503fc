#include "semantics/detail/known_call.hpp"

#include <iterator>

#include <gtest/gtest.h>

#include "calls/call.hpp"
#include "semantics/detail/action.hpp"
#include "semantics/order/mpi_call.hpp"

namespace weir::semantics::detail {
namespace {

// As a trace of this version has it.
trace::Function function_of(Call call) {
  trace::Function made;
  made.name = name(call);
  made.means = name(info(call).means);
  made.layer = name(info(call).layer);
  made.result = info(call).result;
  const auto all = arguments(call);
  made.arguments.assign(all.begin(), all.end());
  return made;
}

TEST(KnownCall, EveryRowIs) {
  for (std::size_t i = 0; i < std::size(generated::kCalls); ++i)
    EXPECT_TRUE(is_known(function_of(static_cast<Call>(i)))) << generated::kCalls[i].name;
}

TEST(KnownCall, AFunctionWithAnothersNameDoesNothing) {
  std::vector<trace::Function> functions;
  functions.push_back(function_of(Call::pread));
  functions.push_back(function_of(Call::mkdir));
  functions[1].name = functions[1].means = "pread";
  const auto infos = call_infos(functions);
  EXPECT_EQ(infos[0].action, Action::transfer_at);
  EXPECT_EQ(infos[1].action, Action::nothing);
  functions[1].name = functions[1].means = "MPI_Recv";
  functions[1].layer = "mpi";
  EXPECT_EQ(call_infos(functions)[1].action, Action::nothing);
  EXPECT_EQ(describe_call(functions[1]).kind, MpiCall::Kind::none);
  EXPECT_EQ(describe_call(function_of(*find_call("MPI_Recv"))).kind, MpiCall::Kind::receive);
}

}  // namespace
}  // namespace weir::semantics::detail
