/// One kind of secrets that is searched for.
struct SecretRule: Sendable {
  /// What is asked of a match besides its form.
  enum Check: Sendable {
    case none
    /// It has letters and digits.
    case mixed
    /// It is the value of something with a secret's name.
    case value
    /// The same of an option of a command line.
    case option
    /// The password of a URL.
    case password
    /// It touches the place where a text was cut, behind it.
    case halfAfter
    /// The same before that place, which is the match.
    case halfBefore
  }

  /// Stable: `redactions.json` has it.
  let id: String
  /// In words, for the documentation.
  let summary: String
  let patterns: [String]
  var check = Check.none
}

extension SecretRule {
  /// Quotes as they are in a text, or in one within another.
  private static let quote = #"(\\{0,7}["']|&quot;)?"#
  /// Between two lines, also in JSON.
  private static let newLine = #"(\\{1,3}(r|u000[dD]))?(\\{1,3}(n|u000[aA])|\r?\n)"#
  private static let mark = #"\[carrel: [0-9]+ bytes left out here\]"#
  private static let endOfValue = #"(?=["'\\\s\c,;&<>)}`]|\]|$)"#
  private static let value =
    #"("\K([^"\\\c]|\\[^\c])+|\\{1,7}"\K[^"\\\c]+|\\{0,7}'\K[^'\\\c]+|&quot;\K[^&\\\c]+"#
    + #"|\K[^\s\c"'\\,;&<>(){}\[`][^\s\c"'\\,;&<>`]*)"#
  private static let begin = #"-----BEGIN ([A-Z0-9]+ )?([A-Z0-9]+ )?PRIVATE KEY( BLOCK)?-----"#
  private static let end = #"-----END ([A-Z0-9]+ )?([A-Z0-9]+ )?PRIVATE KEY( BLOCK)?-----"#

  /// The value of a key with one of these names in JSON, the journal, YAML, TOML, property lists,
  /// XML, code, forms and `NAME=VALUE`.
  static func valuePattern(names: String) -> String {
    #"(?i)"# + names + #"[a-z0-9_.\-]{0,40}"#
      + "(" + quote + #"[ \t]{0,8}(:=|=>|==?|:)[ \t]{0,8}(\{\\{0,7}"string\\{0,7}":)?"#
      + #"|(<|&lt;)\\?/key(>|&gt;)(\s|\\{1,3}[nrt]){0,40}(<|&lt;)(string|data)(>|&gt;)|>|&gt;)"#
      + value + endOfValue
  }

  /// The rules that are always there, the most particular first: when two find the same, the first
  /// has it.
  static let builtIn: [SecretRule] =
    tokens + [
      SecretRule(
        id: "jwt", summary: "JSON Web Tokens",
        patterns: [#"eyJ[A-Za-z0-9_\-]{5,}\.eyJ[A-Za-z0-9_\-]{5,}(\.[A-Za-z0-9_\-]*)?"#]),
      SecretRule(
        id: "private-key",
        summary: "PEM private keys (RSA, EC, PKCS #8, OpenSSH, PGP), also in JSON and where a log "
          + "was cut",
        patterns: [
          begin + "(" + newLine + #"[ \t]*[A-Za-z\-]+: [^\r\n\\"]{0,200}"# + "){0,10}("
            + newLine + "|[ \\t]){1,3}[ \\t]*[A-Za-z0-9+/=]{16,}((" + newLine
            + #"[ \t]*|[ \t])[A-Za-z0-9+/=]{32,})*(("# + newLine + "[ \\t]*|[ \\t])"
            + #"[A-Za-z0-9+/=]+){0,2}(("# + newLine + "[ \\t]*|[ \\t])?" + end + ")?",
          mark + newLine + #"\K[A-Za-z0-9+/=]*("# + newLine + "[A-Za-z0-9+/=]+)*" + newLine + end,
        ]),
      SecretRule(
        id: "age-key", summary: "keys of age",
        patterns: [#"AGE-SECRET-KEY-1[A-Z0-9]{58}"#]),
      SecretRule(
        id: "authorization-header", summary: "`Authorization` headers; `Bearer` and a token",
        patterns: [
          #"(?i)authorization"# + quote + #"[ \t]*[:=,][ \t]*"# + quote
            + #"(bearer|basic|token|digest|negotiate|ntlm|apikey|aws4-hmac-sha256)[ \t]+"#
            + #"\K[^\s\c"'\\]{4,}(,?[ \t]+[a-z]+=(\\{0,7}"[^"\\\c]*\\{0,7}"|[^\s\c"\\]+))*"#
        ]),
      SecretRule(
        id: "authorization-header", summary: "",
        patterns: [
          #"(?i)authorization"# + quote + #"[ \t]*[:=,][ \t]*"# + quote + #"\K[^\s\c"'\\,;]{8,}"#,
          #"(?i)\bbearer[ \t]+\K[a-z0-9._~+/\-]{16,}={0,2}"#,
        ], check: .mixed),
      SecretRule(
        id: "cookie", summary: "`Cookie` and `Set-Cookie` headers",
        patterns: [
          #"(?i)cookie2?"# + quote + #"[ \t]*:[ \t]*"# + quote
            + #"\K[a-z0-9!#$%&*+.^_`|~\-]{1,100}=[^\c"\\]+"#
        ]),
      SecretRule(
        id: "docker-auth", summary: "`auth` in the configuration of Docker",
        patterns: [#""auth\\{0,3}"\s*:\s*\\{0,3}"\K[A-Za-z0-9+/]{8,}={0,2}(?=["\\])"#]),
      SecretRule(
        id: "netrc-password", summary: "passwords in `.netrc`",
        patterns: [#"\blogin[ \t\r\n]+[^\s]{1,200}[ \t\r\n]+password[ \t\r\n]+\K[^\s\c"\\]{3,}"#]),
      SecretRule(
        id: "url-password", summary: "passwords and tokens in URLs, before the `@`",
        patterns: [
          #":\\?/\\?/[^\s\c/:@"'<>\\]{0,200}:\K[^\s\c/@"'<>\\]{3,500}(?=@)"#
        ], check: .password),
      SecretRule(
        id: "url-password", summary: "",
        patterns: [#":\\?/\\?/\K[A-Za-z0-9_\-]{20,500}(?=@)"#], check: .mixed),
      SecretRule(
        id: "azure-key",
        summary: "keys in connection strings of Azure, signatures of shared access",
        patterns: [
          #"(?i)(account|shared ?access)key["']?[ \t]*[=:][ \t]*["']?\K[a-z0-9+/]{40,100}={0,2}"#,
          #"\bsig=\K[A-Za-z0-9%+/]{43,}(=|%3D){0,2}"#,
        ]),
    ]

  /// What is found by a name, and the halves of what was cut.
  static let general = [
    SecretRule(
      id: "secret-value",
      summary: "values of keys and variables whose names say `password`, `secret`, `token`, "
        + "`api_key` and the like",
      patterns: [
        valuePattern(names: "(passw|passphrase|passcode|[_-]pass|pwd|secret|token|credential|key)")
      ], check: .value),
    SecretRule(
      id: "secret-option", summary: "the same of options of a command line: `--password VALUE`",
      patterns: [
        #"(?i)\b--[a-z][a-z0-9_\-]{2,60}"# + #"(\\{0,7}["'])?(,\s{0,60}|[ \t]{1,4}|=)"# + value
          + endOfValue
      ], check: .option),
    SecretRule(
      id: "cut-text",
      summary: "what touches the place where a text was cut, when it may be half of a secret",
      patterns: [mark + newLine + #"\K[^\s\c"'\\]{8,}"#], check: .halfAfter),
    SecretRule(id: "cut-text", summary: "", patterns: [mark], check: .halfBefore),
  ]
}
