/** What an owner may set, and between which bounds. A change is taken whole or not at all. */
import type { VolunteerLimits } from '../control.ts'
import { BadLimits } from '../../errors.ts'
import { parseHours } from './hours.ts'

/**
 * Generous, but unnoticeable: at most one processor, and nothing on a battery or a metered
 * connection. The tuning finds out what the connection can handle.
 */
export const USUAL_LIMITS: Readonly<VolunteerLimits> = {
  requestsPerSecond: null,
  bytesPerSecond: null,
  bytesPerMonth: null,
  diskBytes: 200_000_000,
  cpuShare: 1,
  concurrencyMax: 64,
  hours: null,
  pauseOnBattery: true,
  pauseOnMetered: true,
  neverHosts: [],
}

interface Rule {
  wanted: string
  isGood: (value: unknown) => boolean
}

const MIB = 1024 * 1024
const NEVER_HOSTS_MAX = 10_000
/** A name with dots or not, an address, or `*.` and a name. */
const HOST = /^(\*\.)?[\p{L}\p{N}_](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$|^\[?[\da-f:]+\]?$/iu

const RULES: Record<keyof VolunteerLimits, Rule> = {
  requestsPerSecond: {
    wanted: 'a number above 0 and up to 10000, or null for no limit',
    isGood: orNull((value) => isNumber(value) && value > 0 && value <= 10_000),
  },
  bytesPerSecond: {
    wanted: 'a number of bytes from 1000 up, or null for no limit',
    isGood: orNull((value) => isNumber(value) && value >= 1_000),
  },
  bytesPerMonth: {
    wanted: 'a whole number of bytes, or null for no limit',
    isGood: orNull((value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER)),
  },
  diskBytes: {
    wanted: `a whole number of bytes from ${MIB} up`,
    isGood: (value) => isWhole(value, MIB, Number.MAX_SAFE_INTEGER),
  },
  cpuShare: {
    wanted: 'a number from 0.01 up (1 is one whole processor), or null for no limit',
    isGood: orNull((value) => isNumber(value) && value >= 0.01 && value <= 1_024),
  },
  concurrencyMax: {
    wanted: 'a whole number from 1 to 1000',
    isGood: (value) => isWhole(value, 1, 1_000),
  },
  hours: {
    wanted: 'hours such as 22:00-06:30 or 22:00-06:30,12:00-13:00, or null for always',
    isGood: orNull((value) => typeof value === 'string' && parseHours(value) !== null),
  },
  pauseOnBattery: { wanted: 'true or false', isGood: isBoolean },
  pauseOnMetered: { wanted: 'true or false', isGood: isBoolean },
  neverHosts: {
    wanted: `a list of at most ${NEVER_HOSTS_MAX} names such as example.org or *.example.org`,
    isGood: (value) =>
      Array.isArray(value) && value.length <= NEVER_HOSTS_MAX && value.every(isHost),
  },
}

function orNull(isGood: Rule['isGood']): Rule['isGood'] {
  return (value) => value === null || isGood(value)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isHost(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 255 && HOST.test(value)
}

/** The limits with a change made, or a `BadLimits` that names the first field that is wrong. */
export function changedLimits(limits: VolunteerLimits, change: unknown): VolunteerLimits {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) {
    throw BadLimits.of('change', 'an object of limits')
  }
  for (const [name, value] of Object.entries(change)) {
    if (!Object.hasOwn(RULES, name)) throw BadLimits.unknown(name)
    const { wanted, isGood } = RULES[name as keyof VolunteerLimits]
    if (!isGood(value)) throw BadLimits.of(name, wanted)
  }
  return { ...limits, ...change }
}

/**
 * Whether a URL is of a host that is never to be asked. `*.name` is the name and all below it: the
 * worse mistake is to ask a host that was meant.
 */
export function neverHostTest(neverHosts: readonly string[]): (url: string) => boolean {
  if (neverHosts.length === 0) return () => false
  const names = new Set(neverHosts.map((entry) => asInUrls(entry.replace(/^\*\./, ''))))
  const domains = new Set(
    neverHosts.filter((entry) => entry.startsWith('*.')).map((entry) => asInUrls(entry.slice(2))),
  )
  return (url) => {
    const hostname = URL.parse(url)?.hostname ?? ''
    if (names.has(hostname)) return true
    for (let dot = hostname.indexOf('.'); dot !== -1; dot = hostname.indexOf('.', dot + 1)) {
      if (domains.has(hostname.slice(dot + 1))) return true
    }
    return false
  }
}

/** Lower case, and as a URL writes names in other scripts and addresses. */
function asInUrls(name: string): string {
  const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  return URL.parse(`http://${bracketed}/`)?.hostname ?? name.toLowerCase()
}
