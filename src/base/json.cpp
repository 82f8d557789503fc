#include "base/json.hpp"

#include <fmt/format.h>

namespace weir {

Json json_document(std::string_view command, int version) {
  Json document;
  document["schema"] = fmt::format("weir.{}/{}", command, version);
  return document;
}

Result<Json> parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& failure) {
    return Error{Errc::bad_data, fmt::format("not JSON at byte {}", failure.byte)};
  } catch (const Json::out_of_range&) {
    return Error{Errc::bad_data, "a number in the JSON is too large"};
  }
}

}  // namespace weir
