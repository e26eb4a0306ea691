import Glibc
import SystemFiles
import Workers

/// What of the user's home folder is seen in the home folder of tests.
extension SandboxPlan {
  /// What is to be bound, or laid over, for paths of the user's home folder.
  struct HomeView {
    var binds: [Sandbox.Bind] = []
    var scratch: [(path: String, target: String)] = []
    var places: [WorkRoot.HomePlace] = []
  }

  /// Finds out where paths of the user's home are to be seen.
  ///
  /// They are read-only, unless a path that tests may write to is or holds one; of one in a scratch
  /// folder each batch has an overlay.
  ///
  /// - Parameters:
  ///   - names: Relative to the home folder.
  ///   - writable: Resolved paths that tests may write to.
  ///   - scratch: Resolved paths of scratch folders.
  /// - Throws: ``WorkersError`` with code `sandbox` when one is not there, or cannot be shown.
  static func homeView(
    _ names: [String], of userHome: String?, writable: Set<String>, scratch: [String]
  ) throws(WorkersError) -> HomeView {
    var view = HomeView()
    let unique = Set(names).sorted()
    for name in unique {
      guard let userHome else {
        throw WorkersError(
          .sandbox, "'~/\(name)' cannot be shown: the home folder of the user is not known",
          advice: "set HOME")
      }
      guard let source = existingPath("\(userHome)/\(name)") else {
        throw WorkersError(
          .sandbox, "'~/\(name)' shall be seen in the home folder of tests, and is not there",
          context: ["path": "\(userHome)/\(name)"], advice: "make it before the run")
      }
      var status = stat()
      let isFolder = stat(source, &status) == 0 && status.isFolder
      guard isFolder || stat(source, &status) == 0 && status.isRegular else {
        throw WorkersError(
          .sandbox, "'~/\(name)' cannot be shown: it is neither a folder nor a regular file",
          context: ["path": source], advice: "name the folder that it lies in")
      }
      let isScratch = isFolder && scratch.contains { source == $0 || source.hasPrefix($0 + "/") }
      let isWritable = writable.contains { source == $0 || source.hasPrefix($0 + "/") }
      for inside in HomePath.namesInside(ofOutside: name) {
        if Container.holdsOwnFolder(inHome: inside) {
          throw WorkersError(
            .sandbox, "'~/\(name)' cannot be shown: containers have a '\(inside)' of their own",
            context: ["path": source], advice: "name what is needed in it")
        }
        let target = "\(Self.view)/home/\(inside)"
        if isScratch {
          view.scratch.append((source, target))
        } else {
          view.binds.append(.init(source, at: target, isWritable: isWritable))
        }
        view.places.append(.init(name: inside, isFolder: isFolder))
      }
    }
    return view
  }
}
