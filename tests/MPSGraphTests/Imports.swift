// Every test file imports through here, so that the same tests compile against Apple's frameworks.
@_exported import Foundation
@_exported import MetalPerformanceShadersGraph
@_exported import Testing
