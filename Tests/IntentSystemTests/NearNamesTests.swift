import IntentWire
import Testing

@testable import IntentSystem

@Suite struct NearNamesTests {
  private static let known = [
    "CreateRecipeIntent", "DeleteRecipesIntent", "OpenRecipeIntent", "FailIntent", "RateRecipe",
  ]

  @Test(arguments: [
    ("CreateRecipe", ["CreateRecipeIntent"]), ("createrecipeintent", ["CreateRecipeIntent"]),
    ("CreateRecipeIntnet", ["CreateRecipeIntent"]), ("CreatRecipe", ["CreateRecipeIntent"]),
    ("RateRecipeIntent", ["RateRecipe"]), ("Fial", ["FailIntent"]), ("Open", ["OpenRecipeIntent"]),
    ("Recipe", ["CreateRecipeIntent", "OpenRecipeIntent", "RateRecipe"]),
    // Other names, although many letters are the same.
    ("SeedRecipesIntent", []), ("MakeIntent", []), ("Intent", []), ("", []), ("x", []),
  ])
  func namesOfTypes(name: String, near: [String]) {
    #expect(NearNames(to: name, among: Self.known).names == near)
  }

  @Test(arguments: [
    ("nme", ["name"]), ("titel", ["title"]), ("Title", ["title"]), ("txt", []),
    ("subtitle", ["title"]),
  ])
  func parameters(name: String, near: [String]) {
    #expect(NearNames(to: name, among: ["name", "title"]).names == near)
  }

  @Test(arguments: [
    ("com.exmaple.Recipes", ["com.example.Recipes"]),
    ("com.example.recipe", ["com.example.Recipes"]),
    ("org.other.Recipes", ["com.example.Recipes"]), ("com.example.Late", []), ("", []),
    ("Recipes", ["com.example.Recipes"]),
  ])
  func bundleIdentifiers(name: String, near: [String]) {
    let known = ["com.example.Recipes", "com.example.Note"]
    #expect(NearNames(toBundle: name, among: known).names == near)
  }

  private static let app = AppDescription(
    bundleIdentifier: "com.example.App", compiler: "none",
    entities: [
      .init(
        identifier: "ChefEntity", title: "", properties: [], canMatch: false, canList: false,
        isIndexed: false)
    ])

  @Test func intentsOfADebugBuildAreHintedAt() {
    func message(isReleaseBuild: Bool) -> String {
      do {
        try check(
          "intent.perform", ["intent": "Seed"], Self.app, isReleaseBuild: isReleaseBuild)
        return ""
      } catch { return error.message }
    }
    #expect(message(isReleaseBuild: false) == "com.example.App has no intent 'Seed'; it has none")
    #expect(
      message(isReleaseBuild: true)
        == "com.example.App has no intent 'Seed'; it has none; what stands in '#if DEBUG' is not "
        + "in a release build")
  }

  @Test(
    arguments: [
      ("screen.read", ["entity": "ChefEntty"], WireError.Code.unknownName, "'ChefEntity'?"),
      (
        "entity.query", ["query": ["type": "ChefEntity", "kind": "spotlight"]], .unsupported,
        "ChefEntity is no IndexedEntity"
      ),
    ] as [(String, WireJSON, WireError.Code, String)])
  func questionsThatHaveNoAnswer(
    method: String, parameters: WireJSON, code: WireError.Code, text: String
  ) {
    #expect {
      try check(method, parameters, Self.app)
    } throws: { error in
      (error as? WireError)?.code == code && "\(error)".contains(text)
    }
  }
}
