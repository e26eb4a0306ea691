/// Made-up secrets of many kinds, put together here so that no search takes this file for a leak.
package enum PlantedSecrets {
  /// A secret with the line that tells what it is.
  package struct Secret: Sendable {
    /// The rule that finds it.
    package var rule: String
    package var text: String
    /// The secret in its usual surroundings.
    package var line: String
  }

  private static let letters = Array(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
  private static let capitals = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
  private static let hexadecimal = Array("0123456789abcdef")

  /// So many characters, different ones for each seed.
  private static func draw(_ count: Int, _ seed: Int, of alphabet: [Character]) -> String {
    var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15
    var text = ""
    for index in 0..<count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // A digit at the fourth place, so that no name is a word.
      text.append(index == 3 ? "7" : alphabet[Int(state >> 33) % alphabet.count])
    }
    return text
  }

  private static func alphanumeric(_ count: Int, _ seed: Int) -> String {
    draw(count, seed, of: letters)
  }

  private static func secret(
    _ rule: String, _ text: String, _ before: String = "", _ after: String = ""
  ) -> Secret {
    Secret(rule: rule, text: text, line: before + text + after)
  }

  /// Lines of a PEM file.
  package static let privateKey =
    (["-----BEGIN " + "RSA PRIVATE KEY-----"]
      + (0..<8).map { alphanumeric(64, 900 + $0) } + [alphanumeric(20, 910) + "=="]
      + ["-----END " + "RSA PRIVATE KEY-----"])

  /// One of each kind.
  package static let all: [Secret] = [
    secret("aws-access-key-id", "AKI" + "A" + draw(16, 1, of: capitals), "id "),
    secret("secret-value", alphanumeric(38, 2) + "/+", "aws_secret_access_key = "),
    secret("github-token", "gh" + "p_" + alphanumeric(36, 3), "push with "),
    secret("github-token", "gh" + "s_" + alphanumeric(36, 4), "x="),
    secret("github-token", "github" + "_pat_" + alphanumeric(22, 5) + "_" + alphanumeric(59, 6)),
    secret("gitlab-token", "glp" + "at-" + alphanumeric(20, 7), "git "),
    secret(
      "slack-token",
      "xox" + "b-" + draw(12, 8, of: hexadecimal) + "-" + alphanumeric(24, 9)),
    secret(
      "slack-token",
      "T" + alphanumeric(8, 10) + "/B" + alphanumeric(8, 11) + "/"
        + alphanumeric(24, 12), "https://hooks.slack" + ".com/services/"),
    secret("stripe-key", "sk_" + "live_" + alphanumeric(24, 13)),
    secret("stripe-key", "rk_" + "live_" + alphanumeric(24, 14)),
    secret("google-key", "AIz" + "a" + alphanumeric(35, 15), "key "),
    secret("ai-key", "sk-" + "proj-" + alphanumeric(40, 16)),
    secret("ai-key", "sk-" + "ant-api03-" + alphanumeric(40, 17)),
    secret("huggingface-token", "h" + "f_" + alphanumeric(34, 18)),
    secret("npm-token", "np" + "m_" + alphanumeric(36, 19)),
    secret("pypi-token", "pyp" + "i-" + "AgEI" + alphanumeric(60, 20)),
    secret("docker-token", "dckr" + "_pat_" + alphanumeric(27, 21)),
    secret("digitalocean-token", "dop" + "_v1_" + draw(64, 22, of: hexadecimal)),
    secret("twilio-key", "S" + "K" + draw(32, 23, of: hexadecimal)),
    secret("sendgrid-key", "S" + "G." + alphanumeric(22, 24) + "." + alphanumeric(43, 25)),
    secret("vault-token", "hv" + "s." + alphanumeric(24, 26)),
    secret("age-key", "AGE-SECRET" + "-KEY-1" + draw(58, 27, of: capitals)),
    secret(
      "jwt",
      "ey" + "J" + alphanumeric(20, 28) + ".ey" + "J" + alphanumeric(40, 29) + "."
        + alphanumeric(43, 30)),
    secret("authorization-header", alphanumeric(32, 31), "Authorization: Bearer "),
    secret("authorization-header", alphanumeric(22, 32) + "==", "authorization: Basic "),
    secret("cookie", "session=" + alphanumeric(24, 33), "Cookie: "),
    secret(
      "url-password", "pw" + alphanumeric(10, 34), "postgres://admin:", "@db.example.com/notes"),
    secret(
      "azure-key", alphanumeric(86, 35) + "==", "AccountName=notes;AccountKey=",
      ";EndpointSuffix=core.windows.net"),
    secret("secret-value", "hunter" + "-2!x", #"{"password": ""#, #"", "next": 1}"#),
    secret("secret-value", alphanumeric(18, 36), "  api_key: "),
    secret("secret-value", alphanumeric(16, 37), "<key>authToken</key><string>", "</string>"),
    secret("secret-option", alphanumeric(14, 38), "login --password ", " --verbose"),
    secret("docker-auth", alphanumeric(27, 39), #"{"auth": ""#, #""}"#),
    secret("netrc-password", alphanumeric(11, 40), "machine h login me password "),
    secret("gitlab-token", "gld" + "t-" + alphanumeric(20, 41)),
    secret("linear-key", "lin" + "_api_" + alphanumeric(40, 42)),
  ]

  /// The value of a variable with a name that says so; no rule knows its form.
  package static let variable = "zq8/" + alphanumeric(12, 43) + " & more"
}
