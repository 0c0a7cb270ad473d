import { isIP } from 'node:net'
import { classifyAddress, type AddressClass } from './address-class.ts'

/**
 * Where Minga may connect to. Checked by the coordinator when a URL arrives, and by the agent
 * for the address it is about to dial, since names can be pointed anywhere at any moment.
 */
export interface GuardPolicy {
  /** For tests and intranets. */
  allowPrivateAddresses: boolean
  /** When given, only these. */
  allowedPorts?: number[]
}

export interface GuardRefusal {
  code: 'MINGA_ADDRESS_REFUSED'
  reason: string
}

/**
 * Permitted by `allowPrivateAddresses`. Link-local is not: cloud machines hand out their
 * credentials at 169.254.169.254, and no intranet site lives there.
 */
const PERMITTED_WHEN_PRIVATE = new Set<AddressClass>([
  'public',
  'loopback',
  'private',
  'unique-local',
  'cgnat',
])

/** Names that by definition lead inside (RFC 6761, RFC 6762, ICANN's reservation of .internal). */
const INSIDE_SUFFIXES = ['localhost', 'local', 'internal']

/** The ports that the WHATWG Fetch standard blocks: a request there could talk to another protocol. */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
])

/** Databases, brokers, consoles and orchestrators: some answer HTTP, none is a web site. */
const SERVICE_PORTS = new Set([
  1433, 1521, 1883, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 5984, 5985, 5986,
  6379, 6443, 8086, 9042, 9092, 9200, 9300, 10250, 10255, 11211, 27017, 27018,
])

const LOW_WEB_PORTS = new Set([80, 443])

/** Null when the URL may be requested, as far as its text tells. */
export function guardUrl(url: string | URL, policy: GuardPolicy): GuardRefusal | null {
  const parsed = typeof url === 'string' ? URL.parse(url) : url
  if (parsed === null) return refusal('the address is not a URL')
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    return refusal(`the scheme ${parsed.protocol} is not http or https`)
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return refusal('the URL carries a user name or password')
  }
  const port = parsed.port === '' ? (parsed.protocol === 'https:' ? 443 : 80) : Number(parsed.port)
  if (!isPermittedPort(port, policy)) return refusal(`port ${port} is not allowed`)
  // The URL parser has already turned 0x7f.1, 2130706433 and the like into dotted form.
  const host = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return isIP(host) === 0 ? guardName(host, policy) : guardAddress(host, policy)
}

/** Null when this address may be dialled. */
export function guardAddress(ip: string, policy: GuardPolicy): GuardRefusal | null {
  const kind = classifyAddress(ip)
  if (kind === 'public') return null
  if (policy.allowPrivateAddresses && PERMITTED_WHEN_PRIVATE.has(kind)) return null
  return refusal(`${ip.slice(0, 60)} is a ${kind} address, not one of the public internet`)
}

function guardName(host: string, policy: GuardPolicy): GuardRefusal | null {
  // RFC 7686: onion names must not be looked up outside Tor, whatever the settings permit.
  if (hasSuffix(host, 'onion')) return refusal('onion names are not looked up outside Tor')
  if (policy.allowPrivateAddresses) return null
  const suffix = INSIDE_SUFFIXES.find((name) => hasSuffix(host, name))
  return suffix === undefined ? null : refusal(`${suffix} names lead inside a network`)
}

function hasSuffix(host: string, suffix: string): boolean {
  return host === suffix || host.endsWith('.' + suffix)
}

function isPermittedPort(port: number, policy: GuardPolicy): boolean {
  if (BAD_PORTS.has(port)) return false
  if (policy.allowedPorts !== undefined) return policy.allowedPorts.includes(port)
  if (policy.allowPrivateAddresses) return true
  return LOW_WEB_PORTS.has(port) || (port >= 1024 && !SERVICE_PORTS.has(port))
}

function refusal(reason: string): GuardRefusal {
  return { code: 'MINGA_ADDRESS_REFUSED', reason }
}
