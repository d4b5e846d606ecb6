import CLucid
import LucidCore

@_cdecl("lucid_generator_create") @implementation
public func lucid_generator_create(_ seed: Int64) -> OpaquePointer! {
  Generator(seed: seed).handle()
}

@_cdecl("lucid_generator_default") @implementation
public func lucid_generator_default() -> OpaquePointer! { Generator.default.handle() }

@_cdecl("lucid_generator_release") @implementation
public func lucid_generator_release(_ generator: OpaquePointer!) { Generator.release(generator) }

@_cdecl("lucid_generator_get") @implementation
public func lucid_generator_get(
  _ generator: OpaquePointer!, _ seed: UnsafeMutablePointer<Int64>!,
  _ offset: UnsafeMutablePointer<Int64>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let state = try Generator.from(generator, "lucid_generator_get").state
    seed?.pointee = state.seed
    offset?.pointee = state.offset
  }
}

@_cdecl("lucid_generator_set") @implementation
public func lucid_generator_set(_ generator: OpaquePointer!, _ seed: Int64, _ offset: Int64)
  -> lucid_status
{
  attempt { () throws(LucidError) in
    try Generator.from(generator, "lucid_generator_set").state =
      Generator.State(seed: seed, offset: offset)
  }
}

@_cdecl("lucid_generator_use") @implementation
public func lucid_generator_use(_ generator: OpaquePointer!) -> lucid_status {
  attempt { () throws(LucidError) in
    let given: OpaquePointer? = generator
    Generator.use(
      try given.map { handle throws(LucidError) in
        try Generator.from(handle, "lucid_generator_use")
      })
  }
}
