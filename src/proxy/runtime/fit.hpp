#pragma once

#include "proxy/runtime/world.hpp"

namespace weir_proxy {

// Values for the conversions of a printf format, chosen so that so many bytes come out: the trace knows how
// many were printed, not what.
class Fit {
 public:
  Fit(const char* format, i64 wanted) {
    i64 left = wanted - split(format);
    for (Part& part : parts_) left -= part.length = measure(part);
    for (Part& part : parts_)
      if (left != 0) left -= stretch(part, part.length + left);
  }

  std::size_t size() const { return parts_.size(); }
  char kind(std::size_t at) const {
    return parts_[at].kind;
  }  // f for reals, s for texts, n where it writes to
  i64 integer(std::size_t at) const { return at < parts_.size() ? parts_[at].integer : 0; }
  double real(std::size_t at) const { return at < parts_.size() ? parts_[at].real : 0; }
  const char* text(std::size_t at) const { return at < parts_.size() ? parts_[at].text.c_str() : ""; }
  const wchar_t* wide_text(std::size_t at) {
    wide_.assign(parts_[at].text.begin(), parts_[at].text.end());
    return wide_.c_str();
  }

 private:
  struct Part {
    std::string spec;  // with the length modifiers that fit the values here
    char kind = 0;     // d, u, f, s, c, p; * for a width
    i64 integer = 0;
    double real = 0;
    std::string text;
    i64 length = 0;
  };

  // Bytes that are printed as they stand.
  i64 split(const char* format) {
    i64 plain = 0;
    for (const char* at = format; *at != '\0'; ++at) {
      if (*at != '%') {
        ++plain;
        continue;
      }
      if (at[1] == '%') {
        ++plain;
        ++at;
        continue;
      }
      Part part;
      part.spec = "%";
      for (++at; *at != '\0' && std::strchr("0123456789.-+ #'*hlLqjzt", *at) != nullptr; ++at) {
        if (*at == '*') {
          Part star;
          star.kind = '*';
          parts_.push_back(star);
          part.spec += part.spec.find('.') != std::string::npos ? "0" : "";
        } else if (std::strchr("hlLqjzt", *at) == nullptr) {
          part.spec += *at;
        }
      }
      if (*at == '\0') break;
      if (*at == 'm') {
        plain += static_cast<i64>(std::strlen(std::strerror(errno)));
        continue;
      }
      classify(part, *at);
      parts_.push_back(part);
    }
    return plain;
  }

  static void classify(Part& part, char conversion) {
    const auto is_one_of = [&](const char* set) { return std::strchr(set, conversion) != nullptr; };
    if (is_one_of("di")) {
      part.kind = 'd';
      part.spec += "ld";
    } else if (is_one_of("ouxX")) {
      part.kind = 'u';
      part.spec += 'l';
      part.spec += conversion;
    } else if (is_one_of("eEfFgGaA")) {
      part.kind = 'f';
      part.spec += conversion;
    } else if (is_one_of("sS")) {
      part.kind = 's';
      part.spec += 's';
    } else if (is_one_of("cC")) {
      part.kind = 'c';
      part.integer = 'x';
      part.spec += 'c';
    } else if (conversion == 'p') {
      part.kind = 'p';
      part.spec += 'p';
    } else {
      part.kind = 'n';
    }
  }

  static i64 measure(const Part& part) {
    switch (part.kind) {
      case 'd':
      case 'u':
        return std::snprintf(nullptr, 0, part.spec.c_str(), static_cast<long>(part.integer));
      case 'f':
        return std::snprintf(nullptr, 0, part.spec.c_str(), part.real);
      case 's':
        return std::snprintf(nullptr, 0, part.spec.c_str(), part.text.c_str());
      case 'c':
        return std::snprintf(nullptr, 0, part.spec.c_str(), static_cast<int>(part.integer));
      case 'p':
        return std::snprintf(nullptr, 0, part.spec.c_str(), reinterpret_cast<void*>(part.integer));
      default:
        return 0;
    }
  }

  // Makes it as long as it can be up to `wanted`; how much longer it has become.
  static i64 stretch(Part& part, i64 wanted) {
    const i64 before = part.length;
    Part best = part;
    const auto attempt = [&](const Part& tried) {
      const i64 length = measure(tried);
      if (length <= wanted && length > best.length) {
        best = tried;
        best.length = length;
      }
    };
    Part tried = part;
    if (part.kind == 's' && wanted > 0) {
      tried.text.assign(static_cast<std::size_t>(wanted), 'x');
      attempt(tried);
    } else if (part.kind == 'd' || part.kind == 'u' || part.kind == 'p') {
      const int digits = part.kind == 'd' ? 9 : 8;
      i64 value = 1;
      for (int i = 0; i < digits; ++i, value *= 10) {
        tried.integer = value;
        attempt(tried);
      }
      tried.integer = -best.integer;
      if (part.kind == 'd' && best.length == wanted - 1) attempt(tried);
    } else if (part.kind == 'f') {
      for (const double value :
           {0.5, 0.25, 0.125, 1.5, 12.5, 1234.5, 123456.0, 1.5e10, 1.25e10, 1.125e10, 1.0625e10, 1.23456e10,
            1.23456e100, 1.0 / 3, 1e-5, 1.5e-10, 1.25e-10, 1.23456e-10, 1.23456e-100}) {
        tried.real = value;
        attempt(tried);
        tried.real = -value;
        attempt(tried);
      }
      double value = 15;  // not 10: a power of ten may print as nines, which are one digit fewer
      for (int i = 1; i < 300; ++i, value *= 10) {
        tried.real = value;
        attempt(tried);
      }
    }
    part = best;
    return part.length - before;
  }

  std::vector<Part> parts_;
  std::wstring wide_;
};

// For functions that take a va_list.
template <class Call>
auto with_list(Call call, ...) {
  va_list values;
  va_start(values, call);
  const auto result = call(values);
  va_end(values);
  return result;
}

}  // namespace weir_proxy
