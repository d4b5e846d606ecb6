// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "example",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "lucid", path: "../..")],
  targets: [
    .executableTarget(
      name: "Example", dependencies: [.product(name: "LucidCore", package: "lucid")])
  ]
)
