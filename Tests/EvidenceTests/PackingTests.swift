import Glibc
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// What a container may hold that is not a plain file: nothing of it stops the packing.
@Suite struct PackingTests {
  @Test func aGrowingFileHasExactlyTheAnnouncedSize() async throws {
    let scratch = try Scratch()
    let size = 4 << 20
    try scratch.write("box/a.log", [UInt8](repeating: 65, count: size))
    try scratch.write("box/b", "after it\n")
    let (path, bundle) = ("\(scratch.path)/box/a.log", "\(scratch.path)/b.tar")
    let pipe = try Pipe()
    let reader = startThread {
      // When the first bytes are here the size was taken, and the pipe does not hold the rest.
      var buffer = [UInt8](repeating: 0, count: 4096)
      var count = read(pipe.reader, &buffer, buffer.count)
      if let file = try? OwnedDescriptor(opening: path, O_WRONLY | O_APPEND) {
        try? writeAll([UInt8](repeating: 66, count: 10_000), to: file.number)
      }
      guard let output = try? OwnedDescriptor(opening: bundle, O_WRONLY | O_CREAT) else { return }
      while count > 0 {
        try? writeAll(Array(buffer[..<count]), to: output.number)
        count = read(pipe.reader, &buffer, buffer.count)
      }
      close(pipe.reader)
    }
    do {
      defer {
        close(pipe.writer)
        pthread_join(reader, nil)
      }
      let archive = try ArchiveWriter(descriptor: pipe.writer, path: "b.tar", compression: .none)
      let packer = BundlePacker(archive: archive, limits: BundleLimits(), excluded: [])
      try packer.add(
        ByteName(BundlePaths.manifest), bytes: try encodedJSON(BundleManifest.sample()),
        mode: 0o644)
      try packer.add(ByteName("container"), item: "box", below: scratch.path, followsRoot: true)
      let list = packer.list.text()
      try archive.begin(
        ByteName(BundlePaths.contents), kind: .file, mode: 0o644, size: list.count)
      try list.withUnsafeBytes { try archive.write($0) }
      try archive.finish()
    }
    let check = try BundleReader(path: bundle).verify()
    #expect(check.isWhole, "\(check.problems)")
    #expect(check.notes.map(\.kind) == [.changed])
    #expect(check.notes.first?.path == ByteName("container/a.log"))
    #expect(check.notes.first?.message.contains("the file had \(size + 10_000)") == true)
    #expect(
      try BundleReader(path: bundle).read("container/a.log")
        == [UInt8](repeating: 65, count: size))
    #expect(try BundleReader(path: bundle).read("container/b") == Array("after it\n".utf8))
    #expect(try await runProcess(["tar", "-tf", bundle]).status == 0)
  }

  @Test func aShrinkingFileIsFilledUpWithZeroBytes() async throws {
    let scratch = try Scratch()
    try scratch.write("box/a", [UInt8](repeating: 1, count: 100_000))
    try makeFolders("\(scratch.path)/out")
    let output = try OwnedDescriptor(opening: "\(scratch.path)/b.tar", O_RDWR | O_CREAT)
    let archive = try ArchiveWriter(descriptor: output.number, path: "b.tar", compression: .none)
    let packer = BundlePacker(archive: archive, limits: BundleLimits(), excluded: [])
    let file = try OwnedDescriptor(opening: "\(scratch.path)/box/a", O_RDWR)
    // Reading starts where the file ends for a descriptor of another position, as after a cut.
    lseek(file.number, 60_000, SEEK_SET)
    try packer.addFile(ByteName("a"), descriptor: file.number)
    try archive.finish()
    let list = String(decoding: packer.list.text(), as: UTF8.self)
    #expect(list.contains("\"size\":100000"))
    #expect(list.contains("was cut to 40000 bytes"))
    let listing = try await runProcess(["tar", "-tvf", "\(scratch.path)/b.tar"])
    #expect(listing.text.contains(" 100000 "))
  }

  @Test func specialFilesAreListedAndNeverOpened() throws {
    let scratch = try Scratch()
    for name in ["a", "c", "e", "z"] { try scratch.write("box/\(name)", name) }
    mkfifo("\(scratch.path)/box/b-fifo", 0o644)
    mkfifo("\(scratch.path)/box/d-fifo", 0o644)
    let writer = try OwnedDescriptor(opening: "\(scratch.path)/box/d-fifo", O_RDWR | O_NONBLOCK)
    defer { _ = writer.number }
    for name in ["b-socket", "y-socket"] {
      let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      // A short path, because a socket's name may have 107 bytes only.
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let path = "\(scratch.path)/box/\(name)"
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(bound == 0)
    }
    symlink("nowhere", "\(scratch.path)/box/f-dangling")
    let hasDevice = mknod("\(scratch.path)/box/g-null", S_IFCHR | 0o666, 0x103) == 0
    let bundle = try scratch.pack()
    let check = try bundle.verify()
    #expect(check.isWhole, "\(check.problems)")
    #expect(
      try bundle.entries().map(\.path.displayName) == [
        "manifest.json", "container", "container/a", "container/c", "container/e",
        "container/f-dangling", "container/z", "contents.json",
      ])
    let special = check.notes.map { "\($0.path.displayName) \($0.kind) \($0.type)" }
    #expect(
      special == [
        "container/b-fifo special fifo", "container/b-socket special socket",
        "container/d-fifo special fifo",
      ] + (hasDevice ? ["container/g-null special characterDevice"] : [])
        + ["container/y-socket special socket"])
  }

  @Test func anyTimeIsKept() throws {
    let scratch = try Scratch()
    let times = [
      -2_147_483_648, -2_147_472_000, -1, 0, 2_147_558_400, 8_589_024_000, 15_032_385_535,
      9_999_999_999_999,
    ]
    var expected: [String: Timestamp] = [:]
    for (index, seconds) in times.enumerated() {
      try scratch.write("box/\(index)", "x")
      let path = "\(scratch.path)/box/\(index)"
      utimensat(
        AT_FDCWD, path,
        [timespec(tv_sec: seconds, tv_nsec: 5), timespec(tv_sec: seconds, tv_nsec: 123_456_789)], 0)
      var status = stat()
      stat(path, &status)
      expected["\(index)"] = status.modified
    }
    #expect(expected["1"] == Timestamp(seconds: -2_147_472_000, nanoseconds: 123_456_789))
    #expect(expected["2"]?.seconds == -1)
    for format in BundleCompression.allCases {
      let bundle = try scratch.pack(to: "b.\(format.fileExtension)", compression: format)
      #expect(try bundle.verify().isWhole)
      let report = try scratch.unpack(bundle, to: "out-\(format)")
      #expect(report.clampedTimes.isEmpty)
      for (name, time) in expected {
        var status = stat()
        stat("\(scratch.path)/out-\(format)/\(name)", &status)
        #expect(status.modified == time)
      }
    }
  }

  @Test func aTimeThatTheFileSystemCannotKeepIsNoted() throws {
    let scratch = try Scratch()
    var list = ContentsListWriter()
    let manifest = try encodedJSON(BundleManifest.sample())
    let far = Timestamp(seconds: 1 << 50, nanoseconds: 0)
    list.add(
      ContentsEntry(
        path: ByteName("manifest.json"), kind: .file, mode: 0o644, size: manifest.count,
        sha256: hexadecimal(SHA256.digest(of: manifest))))
    list.add(
      ContentsEntry(
        path: ByteName("a"), kind: .file, mode: 0o644, size: 0, modified: far,
        sha256: hexadecimal(SHA256.digest(of: []))))
    list.add(
      ContentsEntry(path: ByteName("d"), kind: .folder, mode: 0o755, size: 0, modified: far))
    var tar = TarBuilder()
    tar.add(Array("manifest.json".utf8), data: manifest)
    tar.add("a")
    tar.add("d/", type: "5", mode: 0o755)
    tar.add(Array("contents.json".utf8), data: list.text())
    tar.finish()
    try scratch.write("b.tar", tar.bytes)
    let report = try BundleReader(path: "\(scratch.path)/b.tar").extract(to: "\(scratch.path)/out")
    #expect(report.check.isWhole, "\(report.check.problems)")
    #expect(report.clampedTimes == [ByteName("a"), ByteName("d")])
  }

  @Test func theBundleItselfIsLeftOut() throws {
    let scratch = try Scratch()
    try scratch.write("box/a", "a")
    try scratch.write("box/record/run.json", "{}")
    link("\(scratch.path)/box/a", "\(scratch.path)/box/z-same-as-a")
    for _ in 0..<3 {
      for name in ["b.tar", "record/b.tar.zst"] {
        try FailureBundle.write(
          BundleContents(
            manifest: .sample(), entries: [.init("container", .item("\(scratch.path)/box"))],
            excluded: ["\(scratch.path)/box/b.tar", "\(scratch.path)/box/record"]),
          to: "\(scratch.path)/box/\(name)", compression: name == "b.tar" ? .none : .zstd)
        let reader = BundleReader(path: "\(scratch.path)/box/\(name)")
        #expect(try reader.verify().isWhole)
        #expect(
          try reader.entries().map(\.path.displayName) == [
            "manifest.json", "container", "container/a", "container/z-same-as-a", "contents.json",
          ])
      }
    }
  }

  @Test func theBundleIsLeftOutWithoutBeingNamed() throws {
    let scratch = try Scratch()
    try scratch.write("box/a", "a")
    for _ in 0..<2 {
      try FailureBundle.write(
        BundleContents(
          manifest: .sample(), entries: [.init("container", .item("\(scratch.path)/box"))]),
        to: "\(scratch.path)/box/b.tar", compression: .none)
      let reader = BundleReader(path: "\(scratch.path)/box/b.tar")
      #expect(try reader.verify().isWhole)
      #expect(
        try reader.entries().map(\.path.displayName) == [
          "manifest.json", "container", "container/a", "contents.json",
        ])
    }
  }

  @Test func whatAnOrdinaryUserCannotReadIsNoted() throws {
    let scratch = try Scratch()
    chmod(scratch.path, 0o777)
    try asOrdinaryUser {
      try scratch.write("box/closed/inside", "x")
      try scratch.write("box/file", [1], mode: 0)
      try scratch.write("box/open", "x")
      chmod("\(scratch.path)/box/closed", 0o311)
      let bundle = try scratch.pack()
      let check = try bundle.verify()
      #expect(check.isWhole, "\(check.problems)")
      #expect(
        check.notes.map { "\($0.path.displayName) \($0.kind) \($0.type)" } == [
          "container/closed unreadable folder", "container/file unreadable file",
        ])
      #expect(
        try bundle.entries().map(\.path.displayName) == [
          "manifest.json", "container", "container/closed", "container/open", "contents.json",
        ])
      let entry = try bundle.entries().first { $0.path == ByteName("container/closed") }
      #expect(entry?.mode == 0o311)
    }
  }

  @Test func sparseAndLinkedFilesAreKeptAsFiles() throws {
    let scratch = try Scratch()
    try scratch.write("box/sparse", "head")
    truncate("\(scratch.path)/box/sparse", 5 << 20)
    link("\(scratch.path)/box/sparse", "\(scratch.path)/box/twin")
    let bundle = try scratch.pack(compression: .zstd)
    #expect(try bundle.verify().isWhole)
    _ = try scratch.unpack(bundle)
    #expect(try TreeSnapshot("\(scratch.path)/out") == TreeSnapshot("\(scratch.path)/box"))
    #expect(try scratch.bytes("b.tar").count < 10_000)
  }

  @Test func whatIsTooMuchIsLeftOutAndNoted() throws {
    let scratch = try Scratch()
    for number in 0..<5 { try scratch.write("box/\(number)", "0123456789") }
    truncate("\(scratch.path)/box/3", 1 << 40)
    var limits = BundleLimits()
    limits.totalBytes = 1 << 20
    let bundle = try scratch.pack(limits: limits)
    let check = try bundle.verify()
    #expect(check.isWhole, "\(check.problems)")
    #expect(check.notes.map(\.path.displayName) == ["container/3"])
    #expect(check.notes.first?.kind == .limit)
    limits.entries = 5
    let small = try scratch.pack(to: "c.tar", limits: limits)
    let smallCheck = try small.verify()
    #expect(smallCheck.isWhole, "\(smallCheck.problems)")
    #expect(try small.entries().count == 5)
  }

  /// Whatever stands in the place of an item, nothing behind a link gets into the bundle.
  @Test func linksInThePlaceOfItemsAreStoredAsLinks() throws {
    let scratch = try Scratch()
    try scratch.write("secret/file", "classified")
    try scratch.write("root/real/evidence/attachments/a", "a")
    let root = "\(scratch.path)/root"
    for name in ["home", "log", "index"] { symlink("../secret", "\(root)/\(name)") }
    symlink("../secret/file", "\(root)/file")
    mkfifo("\(root)/fifo", 0o600)
    symlink("real", "\(root)/folder")
    let entries: [BundleContents.Entry] = [
      .init("home", .item("home", below: root)), .init("log", .item("\(root)/log")),
      .init("file", .item("file", below: root)), .init("fifo", .item("fifo", below: root)),
      .init("behind", .item("folder/evidence/attachments", below: root)),
      .init("attachments", .item("real/evidence/attachments", below: root)),
      .init("root", .item("file", below: "\(root)/folder/evidence")),
      .init("none", .item("real/none/further", below: root)),
    ]
    let path = "\(scratch.path)/b.tar"
    try FailureBundle.write(
      BundleContents(manifest: .sample(), entries: entries), to: path, compression: .none)
    let bundle = BundleReader(path: path)
    let packed = try bundle.entries().filter { $0.path.text?.hasSuffix(".json") == false }
    #expect(
      packed.map { "\($0.path.displayName) \($0.kind)" } == [
        "attachments folder", "attachments/a file", "file symlink", "home symlink", "log symlink",
      ])
    let check = try bundle.verify()
    #expect(check.isWhole)
    #expect(
      check.notes.map { "\($0.path.displayName) \($0.kind)" } == [
        "behind missing", "fifo special", "none missing", "root missing",
      ])
    #expect(try !readFile(path, maxBytes: 1 << 20).contains("classified".utf8))
  }
}
