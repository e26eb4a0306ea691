import FoundationEssentials
import Glibc
import RunModel
import SwiftTests
import SystemFiles
import TestSupport
import Workers

@testable import RunEngine

/// A package whose test executable is a shell script that plays XCTest with the observer in it, and
/// whose toolchain is made of shell scripts too.
struct FakePackage: Sendable {
  static let product = "FakePackageTests"

  let folder: TemporaryFolder
  /// Not in the package, whose path has a space.
  private let cacheFolder: TemporaryFolder
  let location: BuildLocation
  let tests: [String]

  /// - Parameters:
  ///   - tests: Names of tests and what they do, in the order of the listing. A test is a piece of
  ///     shell script; `fail MESSAGE` records an issue, `skip REASON` a skip.
  ///   - listing: What the executable does before it lists its tests.
  ///   - build: What `swift build` does.
  init(
    _ tests: KeyValuePairs<String, String>, listing: String = ":", build: String = "exit 0"
  ) throws {
    folder = try TemporaryFolder(name: "päckage x")
    cacheFolder = try TemporaryFolder()
    self.tests = tests.map(\.key)
    location = BuildLocation(package: folder.path, scratch: nil, configuration: "debug")
    try write("Package.swift", "")
    try makeFolders(location.products)
    try write(
      ".build/debug/\(Self.product).xctest", Self.script(tests, listing: listing, in: folder.path))
    try makeFolders(toolchain)
    // It does not tell its version.
    let swift = "[ \"$1\" = build ] || exit 1\n\(build)"
    for (name, text) in [("swift", swift), ("swiftc", "exit 1"), ("clang", "exit 1")] {
      try write("toolchain/\(name)", "#!/bin/sh\n\(text)\n")
    }
    // Something that the dynamic linker can load, and that does nothing.
    let observer = self.observer.path
    try makeFolders(String(observer[..<(observer.lastIndex(of: "/") ?? observer.startIndex)]))
    try writeSmallFile(observer, try Self.harmlessLibrary())
  }

  var executable: String { "\(location.products)/\(Self.product).xctest" }
  var toolchain: String { folder.path(of: "toolchain") }
  var cache: String { cacheFolder.path(of: "carrel") }

  var observer: ObserverLibrary {
    ObserverLibrary(toolchain: Toolchain(binFolder: toolchain), cache: cache)
  }

  var configuration: PackageConfiguration {
    PackageConfiguration(
      location: location, listingLimit: 600,
      environment: [
        "PATH": "\(toolchain):/usr/bin:/bin", "HOME": folder.path(of: "home"),
        "XDG_CACHE_HOME": cacheFolder.path,
      ])
  }

  /// Writes a file that can be executed.
  func write(_ name: String, _ text: String) throws {
    try writeSmallFile(folder.path(of: name), Array(text.utf8), mode: 0o700)
  }

  func id(_ name: String) -> TestID {
    TestID(product: Self.product, library: .xctest, name: name)
  }

  /// The lines of a file in the package that its scripts append to.
  func lines(_ name: String) -> [String] {
    String(decoding: readSmallFile(folder.path(of: name)) ?? [], as: UTF8.self)
      .split(separator: "\n").map { String($0) }
  }

  /// The catalog that a listing of the executable gives.
  var catalog: TestCatalog {
    var catalog = TestCatalog(
      products: [TestProduct(name: Self.product, executable: executable)],
      tests: tests.map { TestDescriptor(id: id($0)) }, problems: [], compiler: "fake",
      observer: observer, cache: cache)
    catalog.identities[Self.product] = "as it was listed"
    catalog.executables[Self.product] = ExecutableIdentity(of: executable)
    return catalog
  }

  /// The C library's mathematics, which this process has loaded too.
  private static func harmlessLibrary() throws -> [UInt8] {
    let maps = String(decoding: readSmallFile("/proc/self/maps") ?? [], as: UTF8.self)
    let path = maps.split(separator: "\n").compactMap { line in
      line.split(separator: " ").last.map { String($0) }
    }.first { $0.contains("/libm.so") || $0.contains("/libm-") }
    guard let path, let bytes = readSmallFile(path) else { throw CocoaError(.fileNoSuchFile) }
    return bytes
  }

  private static func script(
    _ tests: KeyValuePairs<String, String>, listing: String, in folder: String
  ) -> String {
    let listed = tests.map { name, _ in
      let parts = name.split(separator: "/")
      return #"say '{"k":"test","c":"\#(parts[0])","m":"\#(parts[1])"}'"#
    }
    return #"""
      #!/bin/sh
      package='\#(folder)'
      say() { printf '%s\n' "$1" >&3; }
      number=0
      status=0
      boundary() {
        printf '\036%s%08x\037' "$CARREL_OBSERVER_NONCE" $number
        printf '\036%s%08x\037' "$CARREL_OBSERVER_NONCE" $number >&2
      }
      fail() {
        say '{"k":"issue","n":"'"$name"'","m":"'"$1"'","f":"/src/T.swift","l":7}'
        ok=false
        status=1
      }
      skip() { more=',"skipped":true,"reason":"'"$1"'"'; }
      say '{"k":"hello"}'
      case "$1" in
      --list-tests)
        echo "$1" >>"$package/listings"
        \#(listing)
        \#(listed.joined(separator: "\n  "))
        say '{"k":"closed"}'
        exit 0 ;;
      --testing-library)
        exit 69 ;;
      esac
      echo "$#" >>"$package/starts"
      names=${1:-\#(tests.map(\.key).joined(separator: ","))}
      IFS=,
      for name in $names; do
        unset IFS
        ok=true
        more=
        number=$((number + 1))
        say '{"k":"start","n":"'"$name"'","s":'$number'}'
        boundary
        export CARREL_TEST_SEQUENCE=$(printf '%08x' $number)
        case "$name" in
        \#(tests.map { "\($0)) \($1) ;;" }.joined(separator: "\n  "))
        esac
        number=$((number + 1))
        say '{"k":"end","n":"'"$name"'","d":0.25,"ok":'$ok',"s":'"$number$more"'}'
        boundary
      done
      say '{"k":"closed"}'
      exit $status
      """# + "\n"
  }
}
