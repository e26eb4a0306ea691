/// A message of any origin for a terminal: on several lines where it has them, and with everything
/// escaped that could drive the terminal or hide text; see ``terminalSafe(_:as:)``.
package func messageText(_ text: String) -> String { terminalSafe(text, as: .lines) }
