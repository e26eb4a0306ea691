/// What a process has noticed of a limit that binds it.
package enum LimitSign: Hashable, Sendable {
  /// It could open no more files (`EMFILE`).
  case files
  /// It could start no more processes or threads (`EAGAIN`).
  case processes
  /// It got no more memory (`ENOMEM`).
  case memory
  /// It could write no more to a file system (`ENOSPC`).
  case space
  /// It could write no more to a file (`SIGXFSZ`, `EFBIG`).
  case fileSize
  /// A folder that each sandbox has for itself had no room at the end of the test.
  case full(folder: String)

  /// - Parameter word: That of the observer's record; `nil` for one that is not known.
  init?(word: String) {
    switch word {
    case "files": self = .files
    case "processes": self = .processes
    case "space": self = .space
    case "file-size": self = .fileSize
    case _ where word.hasPrefix("/"): self = .full(folder: word)
    default: return nil
    }
  }
}
