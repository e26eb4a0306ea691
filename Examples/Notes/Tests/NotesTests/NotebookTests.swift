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

  @Test func survivesSaving() throws {
    var notebook = Notebook()
    try notebook.add(Note(title: "Groceries", text: "Milk and honey"))
    try notebook.save()
    #expect(try Notebook.load() == notebook)
  }

  @Test func identifiersAreNotUsedAgain() throws {
    var notebook = Notebook()
    let first = try notebook.add(Note(title: "a"))
    notebook.remove([first.id])
    let second = try notebook.add(Note(title: "a"))
    #expect(first.id != second.id)
    #expect(try notebook.rename(first.id, to: "b") == nil)
  }
}
