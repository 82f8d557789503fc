#pragma once

#include <span>
#include <vector>

namespace weir::interference {

// How much of its work a program had done when: bytes, or files, over the time since the common start.
// Between two points the work is taken to go on evenly.
class Course {
 public:
  struct Point {
    double at_s = 0;
    double amount = 0;
  };

  Course() = default;
  // Points ascending in both; what is not so is put right: nobody takes work back.
  explicit Course(std::vector<Point> points);

  double total() const { return points_.empty() ? 0 : points_.back().amount; }
  double end_s() const { return points_.empty() ? 0 : points_.back().at_s; }
  double at(double seconds) const;
  // Infinite where that much was never done.
  double when(double amount) const;
  // Per second up to a moment; not a number at 0.
  double rate_until(double seconds) const;

  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

// The moment when the first of them had done this share of all it did; infinite without any.
double first_to_reach(std::span<const Course> courses, double share);

}  // namespace weir::interference
