#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace weir::report {

// One result on a page: a document that some command wrote, or why there is none.
struct Part {
  std::string source;   // where it came from, as the user named it
  std::string written;  // when, ISO 8601; empty where it is not known
  Json document;        // null where it could not be read
  std::string problem;  // what the page says in its place or beside it
};

struct Page {
  std::string title;
  std::vector<std::string> command;  // that makes the page
  std::string host;
  std::string date;  // ISO 8601
  std::vector<Part> parts;
};

// A page that needs nothing but a browser: the program of page/ with the results in it. Whatever names and
// texts the results have, they stay data.
std::string compose(const Page& page);

// JSON that may stand in a script element: no '<' and no separator of lines that a browser could take for an
// end.
std::string script_safe(const Json& document);

}  // namespace weir::report
