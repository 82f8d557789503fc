#include "interference/course.hpp"

#include <algorithm>
#include <limits>

namespace weir::interference {

Course::Course(std::vector<Point> points) : points_(std::move(points)) {
  Point before;
  for (Point& point : points_) {
    point.at_s = std::max(point.at_s, before.at_s);
    point.amount = std::max(point.amount, before.amount);
    before = point;
  }
}

double Course::at(double seconds) const {
  Point before;
  for (const Point& point : points_) {
    if (point.at_s > seconds) {
      const double share = std::max(0.0, seconds - before.at_s) / (point.at_s - before.at_s);
      return before.amount + share * (point.amount - before.amount);
    }
    before = point;
  }
  return before.amount;
}

double Course::when(double amount) const {
  Point before;
  if (amount <= 0) return 0;
  for (const Point& point : points_) {
    if (point.amount >= amount)
      return before.at_s +
             (point.at_s - before.at_s) * (amount - before.amount) / (point.amount - before.amount);
    before = point;
  }
  return std::numeric_limits<double>::infinity();
}

double Course::rate_until(double seconds) const {
  if (!(seconds > 0)) return std::numeric_limits<double>::quiet_NaN();
  return at(seconds) / seconds;
}

double first_to_reach(std::span<const Course> courses, double share) {
  double first = std::numeric_limits<double>::infinity();
  for (const Course& course : courses)
    if (course.total() > 0) first = std::min(first, course.when(share * course.total()));
  return first;
}

}  // namespace weir::interference
