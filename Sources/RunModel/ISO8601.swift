/// A time as ISO 8601 in UTC without fraction, `2026-03-01T12:30:05Z`.
///
/// - Parameter time: Seconds since 1970; years 0 to 9999, others are clamped.
package func iso8601(_ time: Double) -> String {
  let range = -62_167_219_200.0...253_402_300_799.0
  let clamped = time.isFinite ? min(max(time, range.lowerBound), range.upperBound) : 0
  let seconds = Int(clamped) - (Double(Int(clamped)) > clamped ? 1 : 0)
  let day = (seconds - ((seconds % 86_400) + 86_400) % 86_400) / 86_400
  let second = seconds - day * 86_400
  // Days are counted from 1 March of year 0, so that a leap day is the last day of its year; an
  // era is 400 years of 146,097 days.
  let shifted = day + 719_468
  let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
  let dayOfEra = shifted - era * 146_097
  let yearOfEra =
    (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
  let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(dayOfMonth, 2))"
  let clock = [second / 3600, second / 60 % 60, second % 60].map { digits($0, 2) }
  return "\(date)T\(clock.joined(separator: ":"))Z"
}
