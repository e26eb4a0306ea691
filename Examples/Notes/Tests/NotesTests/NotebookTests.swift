import Foundation
import Notes
import Testing

@Suite struct NotebookTests {
  @Test func keepsOrder() throws {
    var notebook = Notebook()
    for title in ["c", "a", "b"] { try notebook.add(Note(title: title)) }
    #expect(notebook.notes.map(\.title) == ["c", "a", "b"])
  }

  @Test func refusesAnEmptyTitle() {
    var notebook = Notebook()
    #expect(throws: Notebook.Refusal.emptyTitle) { try notebook.add(Note(title: "")) }
  }

  @Test(arguments: ["milk", "MILK", "shop"])
  func findsWords(word: String) throws {
    var notebook = Notebook()
    try notebook.add(Note(title: "Groceries", text: "Milk and honey", tags: ["shopping"]))
    try notebook.add(Note(title: "Ideas"))
    #expect(notebook.search(word).map(\.title) == ["Groceries"])
  }

  /// Fails on purpose, so that there is a failure to look at. It saves a notebook first: the file
  /// is in the failure bundle, and the failure comes back when the bundle is reproduced.
  @Test func survivesSaving() throws {
    var notebook = Notebook()
    try notebook.add(Note(title: "Groceries", text: "Milk and honey"))
    try notebook.save()
    print("saved \(notebook.notes.count) note to \(Notebook.file.lastPathComponent)")
    let loaded = try Notebook.load()
    #expect(
      loaded.notes.map(\.title) == ["Groceries", "Ideas"],
      "this example fails on purpose: one note was saved, and the test asks for two")
  }
}
