import Foundation

/// How to compile.
public final class MPSGraphCompilationDescriptor: MPSGraphObject, NSCopying {
  /// How much the compiler may do.
  public var optimizationLevel = MPSGraphOptimization.level1
  /// Compilation is done when the call returns, whatever the value.
  public var waitForCompilationCompletion = false
  /// Where a completion handler would be called; compilation stays on the caller's thread.
  public var dispatchQueue: DispatchQueue = .main
  package private(set) var infersTypes = true
  package private(set) var compiled: MPSGraphCompilationCompletionHandler?

  /// The defaults.
  public override init() {}

  /// Receives what the compilation made. Without a handler, reading gives one that does nothing.
  public var compilationCompletionHandler: MPSGraphCompilationCompletionHandler {
    get { compiled ?? { _, _ in } }
    set { compiled = newValue }
  }

  /// Keeps the types that the graph was built with.
  public func disableTypeInference() { infersTypes = false }

  /// A descriptor with the same contents.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = MPSGraphCompilationDescriptor()
    copy.optimizationLevel = optimizationLevel
    copy.waitForCompilationCompletion = waitForCompilationCompletion
    copy.dispatchQueue = dispatchQueue
    copy.infersTypes = infersTypes
    copy.compiled = compiled
    return copy
  }
}
