#pragma once

#include <filesystem>
#include <string_view>

#include "consistency/model.hpp"

namespace weir::consistency {

// A user's own model, as TOML:
//
//   name = "sitefs"
//   summary = "close-to-open, and fsync for those who ask"
//   like = "session"                # a built-in model to start from; without it nothing is published
//   publish = ["close", "fsync"]    # operations, see operation.hpp
//   see = ["open"]                  # an empty list: published is visible
//   own_order = true
//   strong_names = true
Result<Model> parse_model(std::string_view text, std::string_view file);
Result<Model> read_model(const std::filesystem::path& path);

}  // namespace weir::consistency
