import { isIP } from 'node:net'

/**
 * What kind of place an IP address is, by the special-purpose registries of IANA.
 * Works on the bytes: text prefixes are how `0x7f.1` and `::ffff:7f00:1` slip through.
 */
export type AddressClass =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'cgnat'
  | 'multicast'
  | 'reserved'
  | 'unspecified'
  | 'broadcast'
  | 'documentation'
  | 'mapped'
  | 'nat64'
  | '6to4'
  | 'teredo'
  | 'unique-local'

interface Block {
  bytes: Uint8Array
  bits: number
  kind: AddressClass
}

/** First match counts, so narrower blocks come before the wider ones around them. */
const ipv4Blocks = blocks([
  ['0.0.0.0/32', 'unspecified'],
  ['0.0.0.0/8', 'reserved'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'cgnat'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  // AS112 and AMT are reachable, but no web site lives there.
  ['192.31.196.0/24', 'reserved'],
  ['192.52.193.0/24', 'reserved'],
  ['192.88.99.0/24', '6to4'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'reserved'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
])

const ipv6Blocks = blocks([
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  // IPv4-mapped, and the long-dead IPv4-compatible form: both reach IPv4 behind the guard's back.
  ['::ffff:0:0/96', 'mapped'],
  ['::/96', 'mapped'],
  ['64:ff9b::/96', 'nat64'],
  ['64:ff9b:1::/48', 'nat64'],
  ['2001::/32', 'teredo'],
  // Benchmarking, AMT, AS112, ORCHID, DRIP and the other protocol assignments.
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'reserved'],
  ['3fff::/20', 'documentation'],
  ['2000::/3', 'public'],
  ['fc00::/7', 'unique-local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
  // Discard-only, dummy, SRv6 and all that IANA has not given out: only 2000::/3 is in use.
  ['::/0', 'reserved'],
])

/** What is no IP address at all is `reserved`: never dialled. */
export function classifyAddress(ip: string): AddressClass {
  const bytes = addressBytes(ip)
  if (bytes === null) return 'reserved'
  if (bytes.length === 4) return kindOf(bytes, ipv4Blocks()) ?? 'public'
  return kindOf(bytes, ipv6Blocks()) ?? 'reserved'
}

function kindOf(bytes: Uint8Array, table: Block[]): AddressClass | undefined {
  return table.find((block) => sharesPrefix(bytes, block))?.kind
}

function sharesPrefix(bytes: Uint8Array, block: Block): boolean {
  const whole = block.bits >> 3
  for (let i = 0; i < whole; i++) if (bytes[i] !== block.bytes[i]) return false
  const rest = block.bits & 7
  if (rest === 0) return true
  return ((bytes[whole] ?? 0) ^ (block.bytes[whole] ?? 0)) >> (8 - rest) === 0
}

/** Read on first use: Node's test of IPv6 addresses takes ten milliseconds to compile. */
function blocks(list: [string, AddressClass][]): () => Block[] {
  let read: Block[] | undefined
  return () =>
    (read ??= list.map(([cidr, kind]) => {
      const [ip = '', bits = '0'] = cidr.split('/')
      return { bytes: addressBytes(ip) ?? new Uint8Array(16), bits: Number(bits), kind }
    }))
}

/** 4 or 16 bytes of an address without brackets, or null. A zone (`fe80::1%eth0`) is dropped. */
export function addressBytes(ip: string): Uint8Array | null {
  const zone = ip.indexOf('%')
  const address = zone < 0 ? ip : ip.slice(0, zone)
  const version = isIP(address)
  if (version === 4) return Uint8Array.from(address.split('.'), Number)
  return version === 6 ? ipv6Bytes(address) : null
}

/** Takes what `isIP` accepted, so only the shape needs reading. */
function ipv6Bytes(address: string): Uint8Array {
  const [head = '', tail] = address.split('::')
  const before = groupBytes(head)
  const after = tail === undefined ? [] : groupBytes(tail)
  const bytes = new Uint8Array(16)
  bytes.set(before)
  bytes.set(after, 16 - after.length)
  return bytes
}

function groupBytes(groups: string): number[] {
  if (groups === '') return []
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}
