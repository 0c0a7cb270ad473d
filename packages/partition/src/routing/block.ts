/**
 * Addresses and blocks of addresses (CIDR) of IPv4 and IPv6 as numbers, so that containment and
 * neighbourhood are arithmetic. An IPv4 address that is written as IPv6 (`::ffff:1.2.3.4`) is the
 * IPv4 address: a site must not get a second owner by being written differently.
 */
import { isIP } from 'node:net'
import { BadAddressBlock } from './errors.ts'

export interface Address {
  version: 4 | 6
  value: bigint
}

export interface Block {
  version: 4 | 6
  /** The lowest address. */
  first: bigint
  /** Length of the prefix. */
  bits: number
}

const WIDTHS = { 4: 32, 6: 128 } as const
const MAPPED_BITS = 96
const MAPPED_PREFIX = 0xffffn

/** Null for what is no address; a zone (`fe80::1%eth0`) is dropped. */
export function addressOf(text: string): Address | null {
  const [bare = ''] = text.split('%')
  const version = isIP(bare)
  if (version === 4) return { version, value: ipv4Value(bare) }
  if (version !== 6) return null
  const value = ipv6Value(bare)
  return value >> 32n === MAPPED_PREFIX
    ? { version: 4, value: value & 0xffff_ffffn }
    : { version, value }
}

/** `193.136.0.0/16`, `2001:db8::/32`, or a single address. */
export function blockOf(text: string): Block {
  const [ip = '', length, ...rest] = text.split('/')
  const address = addressOf(ip)
  if (address === null || rest.length > 0) {
    throw new BadAddressBlock(text, 'it does not begin with an IPv4 or IPv6 address')
  }
  const block = { version: address.version, bits: bitsOf(text, address, length) }
  const first = firstOf(address.value, block)
  if (first !== address.value) {
    const meant = blockText({ ...block, first })
    throw new BadAddressBlock(text, `it has bits beyond its prefix, was ${meant} meant?`)
  }
  return { ...block, first }
}

function bitsOf(text: string, { version }: Address, length: string | undefined): number {
  const width = WIDTHS[version]
  if (length === undefined) return width
  const written = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  const bits = version === 4 && text.includes(':') ? written - MAPPED_BITS : written
  if (bits >= 0 && bits <= width) return bits
  throw new BadAddressBlock(text, `the length of its prefix is not a number from 0 to ${width}`)
}

function firstOf(value: bigint, { version, bits }: Omit<Block, 'first'>): bigint {
  const free = BigInt(WIDTHS[version] - bits)
  return (value >> free) << free
}

export function sizeOf({ version, bits }: Block): bigint {
  return 1n << BigInt(WIDTHS[version] - bits)
}

/** The first address behind the block. */
export function endOf(block: Block): bigint {
  return block.first + sizeOf(block)
}

export function blockOfAddress({ version, value }: Address): Block {
  return { version, first: value, bits: WIDTHS[version] }
}

export function contains(outer: Block, inner: Block): boolean {
  return (
    outer.version === inner.version &&
    outer.bits <= inner.bits &&
    firstOf(inner.first, outer) === outer.first
  )
}

/** The block of which `low` and `high` are the two halves, or null. */
export function joined(low: Block, high: Block): Block | null {
  if (low.version !== high.version || low.bits !== high.bits || low.bits === 0) return null
  const whole = { version: low.version, first: low.first, bits: low.bits - 1 }
  return endOf(low) === high.first && firstOf(low.first, whole) === low.first ? whole : null
}

/** By address, and an outer block before what it contains. */
export function compareBlocks(a: Block, b: Block): number {
  if (a.version !== b.version) return a.version - b.version
  if (a.first !== b.first) return a.first < b.first ? -1 : 1
  return a.bits - b.bits
}

export function blockText(block: Block): string {
  return `${addressText({ version: block.version, value: block.first })}/${block.bits}`
}

export function addressText({ version, value }: Address): string {
  if (version === 4) return groupsOf(value, 4, 8n).join('.')
  const groups = groupsOf(value, 8, 16n)
    .map((group) => group.toString(16))
    .join(':')
  // RFC 5952: the first of the longest runs of two or more zero groups is left out.
  const runs = groups.match(/\b0(:0\b)+/g) ?? []
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
  if (longest === '') return groups
  const at = new RegExp(`(^|:)${longest}(:|$)`)
  return groups.replace(at, '::')
}

function groupsOf(value: bigint, count: number, width: bigint): number[] {
  return Array.from({ length: count }, (_, i) =>
    Number((value >> (BigInt(count - 1 - i) * width)) & ((1n << width) - 1n)),
  )
}

function ipv4Value(text: string): bigint {
  return BigInt(text.split('.').reduce((value, part) => 256 * value + Number(part), 0))
}

/** Takes what `isIP` accepted, so only the shape needs reading. */
function ipv6Value(text: string): bigint {
  const [head = '', tail] = text.split('::')
  const before = groupsIn(head)
  const after = tail === undefined ? [] : groupsIn(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0n)
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | group, 0n)
}

function groupsIn(text: string): bigint[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)]
    const value = ipv4Value(group)
    return [value >> 16n, value & 0xffffn]
  })
}
