/**
 * Placement maps and their changes as bytes, for broadcast and for disk. Hosts are written backwards
 * (`gro.elpmaxe.www`) in order, so that a host shares its domain with the one before and only the
 * difference is written:
 *
 *   'MGP' version kind │ epoch (a change: from, to) │ count │ count × (shared, rest, its bytes, part) │ CRC-32
 *
 * Numbers are LEB128; `shared` and `rest` are single bytes; in a change a part is written plus one and
 * 0 says that the host left the map. The end is checked first, so that a damaged copy is refused as a
 * whole; then everything is read as if a stranger had written it.
 */
import { crc32 } from 'node:zlib'
import { BadPlacement, UnreadablePlacement } from './errors.ts'
import {
  checkDelta,
  LARGEST_PART,
  PlacementMap,
  type Move,
  type PlacementDelta,
} from './placement-map.ts'

const MAGIC = Buffer.from('MGP\x01', 'latin1')
const KINDS = { map: 0, delta: 1 } as const
const CRC_BYTES = 4
/** Head, two epochs and a count at their longest. */
const FRAME_BYTES = MAGIC.length + 1 + 3 * 8 + CRC_BYTES
/** Shared, rest and part. */
const ENTRY_BYTES = 1 + 1 + 5

export function encodeMap(map: PlacementMap): Uint8Array {
  const hosts = [...map.hosts()]
  return encode('map', [map.epoch], hosts)
}

export function encodeDelta(delta: PlacementDelta): Uint8Array {
  checkDelta(delta)
  const shifted = delta.moves.map(([host, part]) => [host, part === null ? 0 : part + 1] as const)
  return encode('delta', [delta.from, delta.to], shifted)
}

export function decodeMap(bytes: Uint8Array): PlacementMap {
  return understood(() => {
    const reader = new Reader(bytes, 'map')
    const epoch = reader.number()
    return new PlacementMap(epoch, reader.entries(LARGEST_PART))
  })
}

export function decodeDelta(bytes: Uint8Array): PlacementDelta {
  return understood(() => {
    const reader = new Reader(bytes, 'delta')
    const [from, to] = [reader.number(), reader.number()]
    const moves = reader
      .entries(LARGEST_PART + 1)
      .map(([host, part]): Move => [host, part === 0 ? null : part - 1])
    const delta = { from, to, moves }
    checkDelta(delta)
    return delta
  })
}

/** What is well-formed but means nothing is as unreadable as what is not. */
function understood<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof BadPlacement)) throw error
    throw new UnreadablePlacement(error.message.replace(/\.$/, ''), 0, { cause: error })
  }
}

function encode(
  kind: keyof typeof KINDS,
  epochs: readonly number[],
  hosts: readonly (readonly [string, number])[],
): Uint8Array {
  const parts = new Map(hosts.map(([host, part]) => [backwards(host), part]))
  const names = [...parts.keys()].toSorted()
  const room = names.reduce((sum, name) => sum + name.length + ENTRY_BYTES, FRAME_BYTES)
  const writer = new Writer(Buffer.alloc(room))
  writer.raw(MAGIC)
  writer.byte(KINDS[kind])
  for (const epoch of epochs) writer.number(epoch)
  writer.number(names.length)
  let before = ''
  for (const name of names) {
    const shared = sharedLength(before, name)
    writer.byte(shared)
    writer.byte(name.length - shared)
    writer.text(name.slice(shared))
    writer.number(parts.get(name)!)
    before = name
  }
  return writer.sealed()
}

function backwards(host: string): string {
  return host.split('').toReversed().join('')
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

class Writer {
  readonly #buffer: Buffer
  #at = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  byte(value: number): void {
    this.#buffer[this.#at++] = value
  }

  raw(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  text(ascii: string): void {
    this.#at += this.#buffer.write(ascii, this.#at, 'latin1')
  }

  /** Division, not shifts: epochs may need more than 32 bits. */
  number(value: number): void {
    let rest = value
    while (rest >= 128) {
      this.byte((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    this.byte(rest)
  }

  sealed(): Uint8Array {
    this.#at = this.#buffer.writeUInt32LE(crc32(this.#buffer.subarray(0, this.#at)), this.#at)
    return new Uint8Array(this.#buffer.subarray(0, this.#at))
  }
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array, kind: keyof typeof KINDS) {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const end = whole.length - CRC_BYTES
    if (end < MAGIC.length + 1) throw new UnreadablePlacement('they are too few', whole.length)
    if (whole.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0) {
      throw new UnreadablePlacement('another beginning or version', 0)
    }
    if (crc32(whole.subarray(0, end)) !== whole.readUInt32LE(end)) {
      throw new UnreadablePlacement('the checksum does not fit', end)
    }
    this.#bytes = whole.subarray(0, end)
    this.#at = MAGIC.length
    if (this.#byte() !== KINDS[kind]) throw this.#wrong(`this is no ${kind}`)
  }

  number(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.#byte()
      value += (byte % 128) * scale
      if (!Number.isSafeInteger(value)) throw this.#wrong('a number is too large')
      if (byte < 128) return value
      scale *= 128
    }
  }

  /** To the end of the bytes. */
  entries(largest: number): [string, number][] {
    const count = this.number()
    const entries: [string, number][] = []
    let before = ''
    for (let i = 0; i < count; i++) {
      const name = this.#name(before)
      const part = this.number()
      if (part > largest) throw this.#wrong(`there is no part ${part}`)
      entries.push([backwards(name), part])
      before = name
    }
    if (this.#at !== this.#bytes.length) throw this.#wrong('something follows the last host')
    return entries
  }

  #name(before: string): string {
    const shared = this.#byte()
    const rest = this.#byte()
    const end = this.#at + rest
    if (shared > before.length || end > this.#bytes.length) {
      throw this.#wrong('a host reaches beyond what there is')
    }
    const name = before.slice(0, shared) + this.#bytes.toString('latin1', this.#at, end)
    this.#at = end
    if (name <= before) throw this.#wrong('the hosts are not in order')
    return name
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw this.#wrong('they end too early')
    this.#at++
    return byte
  }

  #wrong(what: string): UnreadablePlacement {
    return new UnreadablePlacement(what, this.#at)
  }
}
