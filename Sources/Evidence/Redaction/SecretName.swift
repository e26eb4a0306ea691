/// What the name of a variable, a key or an option says about its value.
enum SecretName {
  /// How sure it is that the value is a secret.
  enum Weight {
    /// A password or a secret: any value.
    case strong
    /// A token, a key or credentials: a value that looks like one.
    case weak
  }

  private static let strong: Set = [
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "passwort",
  ]
  private static let weak: Set = [
    "token", "credential", "credentials", "apikey", "authkey", "accesskey", "secretkey",
    "privatekey", "authtoken", "accesstoken",
  ]
  /// What makes a key secret when it stands before it.
  private static let kindsOfKeys: Set = [
    "access", "account", "api", "auth", "authorization", "client", "consumer", "deploy",
    "encryption", "master", "private", "secret", "service", "session", "shared", "signing",
    "storage", "subscription", "webhook",
  ]
  /// What makes a token harmless when it stands before it.
  private static let harmlessKinds: Set = [
    "cancellation", "continuation", "fixture", "next", "observation", "page", "syntax",
  ]
  /// After a noun these say that the value is something about the secret.
  private static let harmlessEnds: Set = [
    "algorithm", "class", "column", "count", "counts", "dir", "directory", "endpoint", "equality",
    "error", "errors", "expiration", "expires", "expiry", "field", "file", "folder", "format",
    "hint", "id", "ids", "index", "kind", "label", "length", "limit", "line", "list", "manager",
    "max", "min", "name", "names", "offset", "path", "placeholder", "policy", "position",
    "prefix", "prompt", "provider", "range", "required", "rule", "rules", "scope", "size",
    "state", "status", "store", "test", "tests", "time", "timeout", "ttl", "type", "types",
    "uri", "url", "usage", "version",
  ]

  /// After a noun these say nothing else.
  private static let neutralEnds: Set = [
    "admin", "b", "base", "base64", "ci", "current", "db", "default", "dev", "encoded", "hash",
    "header", "key", "live", "local", "main", "new", "old", "primary", "prod", "production",
    "raw", "root", "secondary", "staging", "string", "text", "user", "v", "val", "value", "x",
  ]

  /// - Returns: `nil` when the name does not look like that of a secret.
  static func weight(of name: some Collection<UInt8>) -> Weight? {
    let words = words(of: name)
    guard words.first != "carrel" else { return nil }
    // The shell's own variable is the working folder.
    guard !name.elementsEqual("PWD".utf8) else { return nil }
    // STRIPE_SECRET_FOR_TESTS is a variable, SecretAutomaton a type.
    let isVariable = !name.contains { $0 >= UInt8(ascii: "a") && ByteSet.letters.contains($0) }
    for (index, word) in words.enumerated().reversed() {
      let before = index > 0 ? words[index - 1] : ""
      var found: Weight?
      if strong.contains(word) || (word == "pass" && index > 0 && index == words.count - 1) {
        found = .strong
      } else if weak.contains(word), !harmlessKinds.contains(before) {
        found = .weak
      } else if word == "key", kindsOfKeys.contains(before) {
        found = before == "secret" ? .strong : .weak
      }
      if let found { return found }
      if harmlessEnds.contains(word) || !(isVariable || neutralEnds.contains(word)) { return nil }
    }
    return nil
  }

  /// The words of `snake_case`, `kebab-case` and `CamelCase` in lower case, without digits at
  /// their ends.
  static func words(of name: some Sequence<UInt8>) -> [String] {
    let bytes = Array(name)
    var words: [String] = []
    var word: [UInt8] = []
    func end() {
      while let last = word.last, ByteSet.digits.contains(last) { word.removeLast() }
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word = []
    }
    for (index, byte) in bytes.enumerated() {
      guard ByteSet.letters.contains(byte) || ByteSet.digits.contains(byte) else {
        end()
        continue
      }
      let isUpper = byte < UInt8(ascii: "a") && ByteSet.letters.contains(byte)
      if isUpper, index > 0 {
        let before = bytes[index - 1]
        let followsLower = before >= UInt8(ascii: "a") && ByteSet.letters.contains(before)
        let precedesLower =
          index + 1 < bytes.count && bytes[index + 1] >= UInt8(ascii: "a")
          && ByteSet.letters.contains(bytes[index + 1])
        if followsLower || precedesLower { end() }
      }
      word.append(isUpper ? byte | 0x20 : byte)
    }
    end()
    return words
  }
}
