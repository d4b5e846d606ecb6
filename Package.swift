// swift-tools-version: 6.2
import PackageDescription

// Swift 6 language mode, no implicit existentials, no transitive imports, no warnings.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

var products: [Product] = [
  .library(name: "LucidCore", targets: ["LucidCore"]),
  .library(name: "Lucid", type: .dynamic, targets: ["LucidCABI"]),
  .executable(name: "lucid-tool", targets: ["lucid-tool"]),
]

var targets: [Target] = [
  .target(name: "CLucid", path: "Sources/CLucid"),
  .target(
    name: "LucidCABI", dependencies: ["LucidCore", "CLucid"], path: "Sources/LucidCABI",
    swiftSettings: strict),
  .executableTarget(
    name: "lucid-tool", dependencies: ["LucidCore"], path: "Sources/lucid-tool",
    swiftSettings: strict),
]

var engine: [Target.Dependency] = []

#if os(Linux)
  // Apple's frameworks do not exist here: modules of the same names, over a CPU engine.
  let portable = "Sources/Portable/"
  products += [
    .library(name: "Metal", targets: ["Metal"]),
    .library(name: "MetalPerformanceShaders", targets: ["MetalPerformanceShaders"]),
    .library(name: "MetalPerformanceShadersGraph", targets: ["MetalPerformanceShadersGraph"]),
  ]
  targets += [
    .target(
      name: "CKernels", path: portable + "CKernels",
      linkerSettings: [.linkedLibrary("m"), .linkedLibrary("dl"), .linkedLibrary("pthread")]),
    .target(
      name: "Metal", dependencies: ["CKernels"], path: portable + "Metal", swiftSettings: strict),
    .target(
      name: "MetalPerformanceShaders", dependencies: ["Metal", "CKernels"],
      path: portable + "MetalPerformanceShaders", swiftSettings: strict),
    .target(
      name: "MetalPerformanceShadersGraph", dependencies: ["MetalPerformanceShaders", "CKernels"],
      path: portable + "MetalPerformanceShadersGraph", swiftSettings: strict),
    .target(
      name: "PortableEngine", dependencies: ["MetalPerformanceShadersGraph", "CKernels"],
      path: portable + "PortableEngine", swiftSettings: strict),
    .testTarget(
      name: "MPSGraphTests", dependencies: ["MetalPerformanceShadersGraph"],
      path: "tests/MPSGraphTests", swiftSettings: strict),
  ]
  engine = ["Metal", "MetalPerformanceShaders", "MetalPerformanceShadersGraph", "PortableEngine"]
#endif

targets += [
  .target(
    name: "LucidCore", dependencies: engine, path: "Sources/LucidCore", swiftSettings: strict),
  .testTarget(
    name: "LucidCoreTests", dependencies: ["LucidCore"], path: "tests/LucidCoreTests",
    swiftSettings: strict),
  .testTarget(
    name: "LucidCABITests", dependencies: ["LucidCABI", "CLucid"], path: "tests/LucidCABITests",
    swiftSettings: strict),
]

let package = Package(
  name: "lucid",
  platforms: [.macOS(.v15)],
  products: products,
  targets: targets,
  cLanguageStandard: .c11
)
