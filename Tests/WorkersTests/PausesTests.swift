import TestSupport
import Testing
import Workers

@Suite struct PausesTests {
  @Test func theClockDoesNotCountAPause() {
    let length = 0.02
    let (real, start) = (now(), monotonicSeconds())
    let (total, wall) = (Pauses.seconds, wallClockSeconds())
    Pauses.during {
      let end = now() + length
      while now() < end {}
    }
    let (end, realEnd) = (monotonicSeconds(), now())
    // Nanoseconds are rounded.
    let paused = Pauses.seconds - total + 1e-6
    #expect(paused >= length)
    #expect(end >= start && end - start <= realEnd - real - length + 1e-6)
    #expect(Pauses.seconds(before: end) - total >= length - 1e-6)
    // The wall clock may be set meanwhile; an hour before and after hold the pause all the same.
    #expect(Pauses.seconds(from: wall - 3600, to: wall + 3600) >= length - 1e-6)
    #expect(Pauses.seconds(from: wall - 7200, to: wall - 3600) == 0)
  }
}
