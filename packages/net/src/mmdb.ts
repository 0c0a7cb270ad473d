/**
 * Writes small databases in the MaxMind DB format (version 2.0), so that the demo and tests of
 * places need no external file: a binary tree over the bits of addresses, whose leaves point at
 * records. IPv4 networks lie below ::/96, as in the files that operators download.
 */
import { isIPv4 } from 'node:net'

export interface MmdbNetwork {
  /** As in `198.51.100.0/24` or `2001:db8::/32`. */
  network: string
  record: MmdbValue
}

/** Whole numbers are kept as uint32, which is what readers of numbers of networks expect. */
type MmdbValue = string | number | { [name: string]: MmdbValue }

/** A record as the country files have it, with the number of the network where one is given. */
export function mmdbPlace(country: string, asn?: number): MmdbValue {
  const traits = asn === undefined ? {} : { traits: { autonomous_system_number: asn } }
  return { country: { iso_code: country }, ...traits }
}

/** Three bytes per record of the tree: enough for 16 million nodes. */
const RECORD_BITS = 24
const SEPARATOR_BYTES = 16
const MARKER = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
const V4_OFFSET_BITS = 96

export function writeMmdb(
  networks: readonly MmdbNetwork[],
  { type = 'Minga-Country', ipVersion = 6 }: { type?: string; ipVersion?: 4 | 6 } = {},
): Buffer {
  const tree = new Tree()
  const chunks: Buffer[] = []
  let dataBytes = 0
  const parsed = networks.map(({ network, record }) => ({
    bits: bitsOf(network, ipVersion),
    record,
  }))
  // The wider first: what lies inside divides it.
  for (const { bits, record } of parsed.toSorted((a, b) => a.bits.length - b.bits.length)) {
    const chunk = encoded(record)
    tree.put(bits, dataBytes)
    chunks.push(chunk)
    dataBytes += chunk.length
  }
  const metadata = encoded({
    node_count: tree.size,
    record_size: RECORD_BITS,
    ip_version: ipVersion,
    database_type: type,
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
  })
  const separator = Buffer.alloc(SEPARATOR_BYTES)
  return Buffer.concat([tree.bytes(), separator, ...chunks, MARKER, metadata])
}

type Leaf = { data: number } | null
type Node = [Node | Leaf, Node | Leaf]

class Tree {
  readonly #root: Node = [null, null]
  size = 1

  put(bits: readonly number[], data: number): void {
    let node = this.#root
    for (const bit of bits.slice(0, -1)) {
      const next = node[bit]!
      if (Array.isArray(next)) {
        node = next
        continue
      }
      const divided: Node = [next, next]
      this.size++
      node[bit] = divided
      node = divided
    }
    node[bits.at(-1)!] = { data }
  }

  bytes(): Buffer {
    const nodes: Node[] = [this.#root]
    const numbers = new Map<Node, number>([[this.#root, 0]])
    // Grows while it is walked: the order in which nodes are met is their number.
    for (const node of nodes) {
      for (const next of node) {
        if (!Array.isArray(next)) continue
        numbers.set(next, nodes.length)
        nodes.push(next)
      }
    }
    const bytes = Buffer.alloc((nodes.length * RECORD_BITS) / 4)
    const valueOf = (next: Node | Leaf): number => {
      if (Array.isArray(next)) return numbers.get(next)!
      return next === null ? nodes.length : nodes.length + SEPARATOR_BYTES + next.data
    }
    for (const [i, node] of nodes.entries()) {
      for (const side of [0, 1]) {
        bytes.writeUIntBE(valueOf(node[side]!), ((2 * i + side) * RECORD_BITS) / 8, RECORD_BITS / 8)
      }
    }
    return bytes
  }
}

function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', length = ''] = network.split('/')
  const isV4 = isIPv4(address)
  const bits = (isV4 ? v4Bytes(address) : v6Bytes(address))
    .flatMap((byte) => byte.toString(2).padStart(8, '0').split('').map(Number))
    .slice(0, Number(length))
  const above = isV4 && ipVersion === 6 ? V4_OFFSET_BITS : 0
  return [...Array.from({ length: above }, () => 0), ...bits]
}

const v4Bytes = (address: string): number[] => address.split('.').map(Number)

function v6Bytes(address: string): number[] {
  const [head = [], tail = []] = address
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].flatMap((group) => {
    const number = Number.parseInt(group, 16)
    return [number >> 8, number & 255]
  })
}

const TEXT = 2
const UINT32 = 6
const MAP = 7
/** Longer texts and maps have their length in a byte of its own. */
const SHORT_MAX = 28

function encoded(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([control(TEXT, text.length), text])
  }
  if (typeof value === 'number') {
    const number = Buffer.alloc(4)
    number.writeUInt32BE(value)
    return Buffer.concat([control(UINT32, number.length), number])
  }
  const entries = Object.entries(value)
  const parts = entries.flatMap(([name, inner]) => [encoded(name), encoded(inner)])
  return Buffer.concat([control(MAP, entries.length), ...parts])
}

function control(type: number, size: number): Buffer {
  const kind = type << 5
  if (size <= SHORT_MAX) return Buffer.from([kind | size])
  return Buffer.from([kind | (SHORT_MAX + 1), size - SHORT_MAX - 1])
}
