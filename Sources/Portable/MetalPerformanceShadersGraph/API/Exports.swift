@_exported import Foundation
@_exported import Metal
@_exported import MetalPerformanceShaders
