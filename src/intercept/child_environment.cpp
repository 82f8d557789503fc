#include "intercept/child_environment.hpp"

#include <cstring>
#include <span>

#include "intercept/unchecked.hpp"

namespace weir {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";

bool is_variable(std::string_view text, std::string_view name) {
  return text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=';
}

}  // namespace

std::string_view ChildEnvironment::our_library(std::string_view list) const {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find_first_of(": "));
    list.remove_prefix(one.size() < list.size() ? one.size() + 1 : list.size());
    if (one.substr(one.rfind('/') + 1).starts_with(followed_.library)) return one;  // npos + 1 is 0
  }
  return {};
}

bool ChildEnvironment::is_setting(std::string_view text) const {
  for (const std::string_view one : followed_.settings)
    if (!one.empty() && text.starts_with(one)) return true;
  return false;
}

void ChildEnvironment::read(const char* const* environment) {
  std::size_t used = 0;
  const auto keep = [&](std::string_view text) -> const char* {
    if (used + text.size() + 1 > kRoom) return nullptr;
    char* const at = text_ + used;
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    used += text.size() + 1;  // text_ is zero from the start
    return at;
  };
  std::string_view library;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view text = *environment;
    if (text.starts_with(kPreload)) library = our_library(text.substr(kPreload.size()));
    if (!is_setting(text)) continue;
    const char* const kept = settings_count_ < kMost ? keep(text) : nullptr;
    if (kept == nullptr) return;
    settings_[settings_count_++] = kept;
  }
  const char* const kept = keep(library);
  if (kept != nullptr) library_ = {kept, library.size()};
}

ChildEnvironment::Lacking ChildEnvironment::lacking(const char* const* environment) const {
  Lacking found;
  if (environment == nullptr) return found;  // Linux takes it for an empty one
  for (;; ++found.variables) {
    const char* const* const at = environment + found.variables;
    found.readable = readable(at, sizeof *at) && (*at == nullptr || readable_text(*at));
    if (!found.readable || *at == nullptr) return found;
    const std::string_view text = *at;
    if (is_variable(text, followed_.needed)) found.settings = false;
    if (!text.starts_with(kPreload)) continue;  // of several, the loader takes the last
    found.preload = found.variables;
    found.other_libraries = text.substr(kPreload.size());
    found.library = our_library(found.other_libraries).empty();
  }
}

std::size_t ChildEnvironment::room_for(const char* const* environment) const {
  if (library_.empty()) return 0;
  const Lacking found = lacking(environment);
  if (!found.readable || (!found.library && !found.settings)) return 0;
  const std::size_t pointers = found.variables + 1 + settings_count_ + 1;
  return pointers * sizeof(char*) + kPreload.size() + library_.size() + 1 + found.other_libraries.size() + 1;
}

char* const* ChildEnvironment::completed(const char* const* environment, void* room) const {
  const Lacking found = lacking(environment);
  const auto variables = static_cast<const char**>(room);
  std::size_t count = found.variables;
  if (count > 0) std::memcpy(variables, environment, count * sizeof *variables);
  if (found.library) {
    char* const text = reinterpret_cast<char*>(variables + found.variables + 1 + settings_count_ + 1);
    char* at = text;
    const auto put = [&](std::string_view part) {
      if (!part.empty()) std::memcpy(at, part.data(), part.size());
      at += part.size();
    };
    put(kPreload);
    put(followed_.goes_last ? found.other_libraries : library_);
    if (!found.other_libraries.empty()) put(":");
    put(followed_.goes_last ? library_ : found.other_libraries);
    *at = '\0';
    variables[found.preload != kNone ? found.preload : count++] = text;
  }
  if (found.settings)
    for (const char* const setting : std::span(settings_, settings_count_)) variables[count++] = setting;
  variables[count] = nullptr;
  return const_cast<char* const*>(reinterpret_cast<const char* const*>(variables));
}

}  // namespace weir
