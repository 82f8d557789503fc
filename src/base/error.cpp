#include "base/error.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "base/check.hpp"

namespace weir {

std::string_view name(Errc code) {
  switch (code) {
    case Errc::usage:
      return "usage";
    case Errc::not_found:
      return "not_found";
    case Errc::unreadable:
      return "unreadable";
    case Errc::bad_data:
      return "bad_data";
    case Errc::unsupported:
      return "unsupported";
    case Errc::too_big:
      return "too_big";
    case Errc::lacking:
      return "lacking";
    case Errc::io:
      return "io";
    case Errc::full:
      return "full";
    case Errc::interrupted:
      return "interrupted";
    case Errc::internal:
      return "internal";
  }
  WEIR_CHECK(false, "no such Errc");
}

int exit_code(Errc code) {
  switch (code) {
    case Errc::usage:
    case Errc::not_found:
    case Errc::unreadable:
    case Errc::bad_data:
    case Errc::unsupported:
    case Errc::too_big:
      return 2;
    case Errc::lacking:
    case Errc::full:
      return 3;
    case Errc::interrupted:
      return 130;
    case Errc::io:
    case Errc::internal:
      return 4;
  }
  WEIR_CHECK(false, "no such Errc");
}

Error Error::from_errno(int error_number, std::string_view what) {
  Errc code = Errc::io;
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      code = Errc::not_found;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      code = Errc::unreadable;
      break;
    case ENOSPC:
    case EDQUOT:
      code = Errc::full;
      break;
    case EINTR:
      code = Errc::interrupted;
      break;
    case EFBIG:
      code = Errc::too_big;
      break;
    default:
      break;
  }
  return {code, fmt::format("{}: {}", what, std::generic_category().message(error_number))};
}

Error Error::in(std::string_view context) const& { return Error(*this).in(context); }

Error Error::in(std::string_view context) && {
  context_ = context_.empty() ? std::string(context) : fmt::format("{}: {}", context, context_);
  return std::move(*this);
}

Error Error::with_remedy(std::string_view remedy) const {
  Error copy = *this;
  copy.remedy_ = remedy;
  return copy;
}

std::string Error::text() const {
  std::string text = context_;
  if (!text.empty()) text += ": ";
  text += message_;
  if (!remedy_.empty()) text += "; " + remedy_;
  return text;
}

}  // namespace weir
