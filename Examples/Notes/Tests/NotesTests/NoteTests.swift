import Notes
import XCTest

final class NoteTests: XCTestCase {
  func testCountsWords() {
    let note = Note(title: "Shopping list", text: "bread,  butter\nand cheese")
    XCTAssertEqual(note.wordCount, 6)
  }

  func testEmptyTextHasOnlyTheWordsOfTheTitle() {
    XCTAssertEqual(Note(title: "One").wordCount, 1)
  }

  func testNeedsAPrinter() throws {
    throw XCTSkip("no printer is connected")
  }
}
