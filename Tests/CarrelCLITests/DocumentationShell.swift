/// Cuts the lines of a shell script into the words of its commands, as far as documents need it.
///
/// Known are quotes, backslashes, comments, continued lines, `|`, `;`, `&&`, `||` and redirections;
/// nothing is expanded.
struct DocumentationShell {
  /// The words of each command, with the number of its first line.
  private(set) var commands: [(number: Int, words: [String])] = []
  private var words: [String] = []
  private var word: String?
  private var number = 0
  /// Whether the next word is the target of a redirection.
  private var skipsWord = false

  init(_ lines: [(number: Int, text: String)]) {
    var continued: (number: Int, text: String)?
    for line in lines {
      var whole = (
        number: continued?.number ?? line.number, text: (continued?.text ?? "") + line.text
      )
      if whole.text.hasSuffix("\\") {
        whole.text.removeLast()
        continued = whole
        continue
      }
      continued = nil
      number = whole.number
      split(whole.text)
    }
  }

  private mutating func split(_ text: String) {
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if let open = quote {
        if character == open {
          quote = nil
        } else if character == "\\", open == "\"" {
          isEscaped = true
        } else {
          word = (word ?? "") + String(character)
        }
      } else {
        switch character {
        case "\\": isEscaped = true
        case "'", "\"":
          quote = character
          word = word ?? ""
        case " ": endWord()
        case "#" where word == nil:
          endCommand()
          return
        case "|", ";", "&": endCommand()
        case ">", "<":
          endWord()
          skipsWord = true
        default: word = (word ?? "") + String(character)
        }
      }
    }
    endCommand()
  }

  private mutating func endWord() {
    guard let ended = word else { return }
    word = nil
    if skipsWord {
      skipsWord = false
    } else {
      words.append(ended)
    }
  }

  private mutating func endCommand() {
    endWord()
    skipsWord = false
    // Variables that are set for one command.
    let command = words.drop { $0.wholeMatch(of: #/[A-Za-z_]\w*=.*/#) != nil }
    if !command.isEmpty { commands.append((number, Array(command))) }
    words = []
  }
}
