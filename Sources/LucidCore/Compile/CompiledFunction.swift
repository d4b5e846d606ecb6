import Synchronization

/// A Swift function of tensors behind a cache of recorded plans.
///
///     let f = compile { x, y in try x.matmul(y).relu() }
///     let z = try f(a, b)
///
/// The first call with new shapes or types records the function and compiles it; later calls run the
/// compiled graph without entering the function. The function must be pure but for what it does to
/// tensors: Swift offers no way to notice other state that it reads.
public final class CompiledFunction: Sendable {
  /// A function of any number of tensors.
  public typealias Body = @Sendable ([Tensor]) throws(LucidError) -> [Tensor]

  /// Counts, for tests and monitoring.
  public struct CacheInfo: Hashable, Sendable {
    public var entries = 0
    public var hits = 0
    public var misses = 0
    public var evictions = 0
    /// Why calls ran eagerly, by signature.
    public var fallbacks: [String: String] = [:]
  }

  private struct Key: Hashable {
    let types: [TensorType]
    let devices: [Device]
    let requiresGrad: [Bool]
    let aliases: [Int]
    let mode: GradMode

    var description: String { types.map(\.description).joined(separator: ", ") }
  }

  private struct State {
    var plans: [Key: (plan: Plan, lastUse: UInt64)] = [:]
    var clock: UInt64 = 0
    var info = CacheInfo()
    /// Signatures that run eagerly.
    var eager: Set<Key> = []
    /// Dynamic signatures that need one plan per shape.
    var perShape: Set<Key> = []
  }

  private let body: Body
  private let dynamic: Bool
  private let capacity: Int
  private let state = Mutex(State())

  /// Wraps a function. With `dynamic` the leading extent of the arguments stays open: calls that
  /// differ only in batch size share one executable.
  public init(dynamic: Bool = false, capacity: Int = 128, _ body: @escaping Body) {
    self.body = body
    self.dynamic = dynamic
    self.capacity = max(1, capacity)
  }

  public var cacheInfo: CacheInfo {
    state.withLock { state in
      var info = state.info
      info.entries = state.plans.count
      return info
    }
  }

  /// Drops all plans and counters.
  public func clearCache() { state.withLock { $0 = State() } }

  public func callAsFunction(_ arguments: [Tensor]) throws(LucidError) -> [Tensor] {
    // Within another recording the function dissolves into the outer graph.
    guard Trace.current == nil else { return try body(arguments) }
    var batch = dynamic ? arguments.first { $0.rank > 0 }?.shape.first : nil
    var key = Self.key(arguments, batch: batch)
    let (isEager, isPerShape) = state.withLock { state in
      (state.eager.contains(key), state.perShape.contains(key))
    }
    if isEager { return try body(arguments) }
    if isPerShape {
      batch = nil
      key = Self.key(arguments, batch: nil)
    }
    let known = state.withLock { state -> Plan? in
      state.clock += 1
      state.plans[key]?.lastUse = state.clock
      return state.plans[key]?.plan
    }
    if let known {
      do throws(LucidError) {
        let results = try known.run(arguments)
        state.withLock { $0.info.hits += 1 }
        return results
      } catch  where error.code == .stale {
        // The batch does not fulfil what the plan assumes: record anew.
      }
    }
    return try record(arguments, key, batch)
  }

  private func record(
    _ arguments: [Tensor], _ key: Key, _ batch: Int?
  ) throws(LucidError) -> [Tensor] {
    state.withLock { $0.info.misses += 1 }
    let trace = try Trace.begin(batch: batch)
    let standIns: [Tensor]
    let results: [Tensor]
    do throws(LucidError) {
      var made: [Tensor] = []
      for argument in arguments {
        let follows = batch != nil && argument.shape.first == batch
        made.append(try trace.argument(argument, symbolic: follows))
      }
      standIns = made
      results = try body(made)
    } catch {
      trace.abort()
      throw error
    }
    let plan = try trace.end(results)
    state.withLock { state in
      guard let plan else {
        state.eager.insert(key)
        state.info.fallbacks[key.description] = trace.reason ?? ""
        return
      }
      var key = key
      if batch != nil, !plan.isDynamic {
        state.perShape.insert(key)
        key = Self.key(arguments, batch: nil)
      }
      if state.plans.count >= capacity,
        let oldest = state.plans.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
      {
        state.plans[oldest] = nil
        state.info.evictions += 1
      }
      state.clock += 1
      state.plans[key] = (plan, state.clock)
    }
    return results.map { result in
      standIns.firstIndex { $0 === result }.map { arguments[$0] } ?? result
    }
  }

  private static func key(_ arguments: [Tensor], batch: Int?) -> Key {
    let types = arguments.map { argument in
      var shape = Shape(argument.shape)
      if let batch, argument.shape.first == batch { shape[0] = .batch }
      return TensorType(shape, argument.dtype)
    }
    let aliases = arguments.map { argument in
      arguments.firstIndex { $0.storage === argument.storage } ?? 0
    }
    return Key(
      types: types, devices: arguments.map(\.device), requiresGrad: arguments.map(\.requiresGrad),
      aliases: aliases, mode: GradMode.current)
  }
}

/// Compiles a function of one tensor.
public func compile(
  dynamic: Bool = false, _ body: @escaping @Sendable (Tensor) throws(LucidError) -> Tensor
) -> @Sendable (Tensor) throws(LucidError) -> Tensor {
  let compiled = CompiledFunction(dynamic: dynamic) { arguments throws(LucidError) in
    [try body(arguments[0])]
  }
  return { x throws(LucidError) in try compiled([x])[0] }
}

/// Compiles a function of two tensors.
public func compile(
  dynamic: Bool = false, _ body: @escaping @Sendable (Tensor, Tensor) throws(LucidError) -> Tensor
) -> @Sendable (Tensor, Tensor) throws(LucidError) -> Tensor {
  let compiled = CompiledFunction(dynamic: dynamic) { arguments throws(LucidError) in
    [try body(arguments[0], arguments[1])]
  }
  return { x, y throws(LucidError) in try compiled([x, y])[0] }
}

/// Compiles a function of three tensors.
public func compile(
  dynamic: Bool = false,
  _ body: @escaping @Sendable (Tensor, Tensor, Tensor) throws(LucidError) -> Tensor
) -> @Sendable (Tensor, Tensor, Tensor) throws(LucidError) -> Tensor {
  let compiled = CompiledFunction(dynamic: dynamic) { arguments throws(LucidError) in
    [try body(arguments[0], arguments[1], arguments[2])]
  }
  return { x, y, z throws(LucidError) in try compiled([x, y, z])[0] }
}
