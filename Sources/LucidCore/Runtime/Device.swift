import MetalPerformanceShadersGraph

/// Where a tensor is said to live. Both labels name the platform's one engine with unified memory.
public enum Device: UInt8, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  case cpu = 0
  case metal = 1

  public var description: String { self == .cpu ? "cpu" : "metal" }

  /// Whether tensors with this label can be made.
  public var isAvailable: Bool { Platform.shared != nil }
}

/// The one engine of the process.
final class Platform: Sendable {
  /// Nil on a machine without a Metal device.
  static let shared: Platform? = Platform()

  let device: any MTLDevice
  let queue: any MTLCommandQueue

  private init?() {
    guard let device = MTLCreateSystemDefaultDevice(), let queue = device.makeCommandQueue()
    else { return nil }
    self.device = device
    self.queue = queue
  }

  static func required() throws(LucidError) -> Platform {
    guard let shared else {
      throw LucidError(.device, "no Metal device is available on this machine")
    }
    return shared
  }
}
