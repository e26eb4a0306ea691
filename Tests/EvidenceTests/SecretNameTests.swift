import Testing

@testable import Evidence

@Suite struct SecretNameTests {
  @Test(arguments: [
    ("PASSWORD", SecretName.Weight.strong), ("DB_PASS", .strong), ("dbPassword2", .strong),
    ("aws_secret_access_key", .weak), ("clientSecret", .strong), ("API_TOKEN", .weak),
    ("x-api-key", .weak), ("GITHUB_TOKEN_PROD", .weak), ("SECRET_KEY_BASE", .strong),
    ("STRIPE_SECRET_FOR_TESTING", .strong), ("private.key", .weak), ("APIKey", .weak),
    ("signingKeyBase64", .weak), ("AZURE_CREDENTIALS", .weak),
  ])
  func secretNames(_ name: String, _ weight: SecretName.Weight) {
    #expect(SecretName.weight(of: name.utf8) == weight)
  }

  @Test(arguments: [
    "PATH", "PWD", "OLDPWD", "key", "KEYBOARD", "monkey", "tokens", "tokenCount", "TOKEN_TYPE",
    "passwordField",
    "SECRET_NAME", "fixtureToken", "CARREL_INTENT_TOKEN", "SecretAutomaton", "compass",
    "cancellationToken", "publicKey", "primary_key", "passed", "", "_", "author", "PASSWORD_FILE",
  ])
  func otherNames(_ name: String) {
    #expect(SecretName.weight(of: name.utf8) == nil)
  }

  @Test func wordsOfNames() {
    #expect(SecretName.words(of: "HTTPServerName2".utf8) == ["http", "server", "name"])
    #expect(SecretName.words(of: "a_b-c.dE".utf8) == ["a", "b", "c", "d", "e"])
  }
}
