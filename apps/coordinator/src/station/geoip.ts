/**
 * Countries of addresses, from a file in the MaxMind DB format that the operator gives (`--geoip`).
 * It is read once and kept in memory; when the file is replaced it is read again, and a broken
 * replacement changes nothing. Without a file no location is known.
 */
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Position } from '@minga/partition'
import type { Clock } from '@minga/protocol'
import { Reader, type Response } from 'mmdb-lib'
import { BadGeoip } from './errors.ts'

/** What is known of an address. */
export interface GeoLookup {
  /** Two letters, upper case. */
  countryOf: (address: string) => string | null
  /** The number of the autonomous system that it belongs to, when the file says so. */
  asnOf: (address: string) => number | null
  /** Files of countries alone say none. */
  positionOf: (address: string) => GeoipPosition | null
}

export interface GeoipPosition extends Position {
  /** As far as the truth may be away, when the file says so. */
  errorKm?: number
}

export const NO_GEOIP: GeoLookup = {
  countryOf: () => null,
  asnOf: () => null,
  positionOf: () => null,
}

interface GeoIpParts {
  file: string
  clock: Clock
  /** Called for a replacement that cannot be read; the former file stays in use. */
  onBroken: (error: BadGeoip) => void
}

/** Such files are replaced weekly; one check of the file costs nothing. */
const LOOK_EVERY_MS = 10_000

/** What a file must be made for: one of networks, domains or proxies alone has no countries. */
const KINDS = /country|city|enterprise|location/i
const SEPARATOR_BYTES = 16

export class GeoIpDatabase implements GeoLookup {
  readonly #parts: GeoIpParts
  #reader: Reader<Response>
  #version: string
  #nextLookMs: number

  /** Throws BadGeoip when the file is not there, not whole or of another kind. */
  static async open(parts: GeoIpParts): Promise<GeoIpDatabase> {
    const version = await fileVersion(parts.file)
    return new GeoIpDatabase(parts, { version, reader: await readerOf(parts.file) })
  }

  private constructor(
    parts: GeoIpParts,
    { version, reader }: { version: string; reader: Reader<Response> },
  ) {
    this.#parts = parts
    this.#version = version
    this.#reader = reader
    this.#nextLookMs = parts.clock.monotonicMs() + LOOK_EVERY_MS
  }

  readonly countryOf = (address: string): string | null => countryIn(this.#recordOf(address))

  readonly asnOf = (address: string): number | null => asnIn(this.#recordOf(address))

  readonly positionOf = (address: string): GeoipPosition | null =>
    positionIn(this.#recordOf(address))

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { clock, file, onBroken } = this.#parts
    if (clock.monotonicMs() < this.#nextLookMs) return
    this.#nextLookMs = clock.monotonicMs() + LOOK_EVERY_MS
    const version = await fileVersion(file)
    if (version === this.#version) return
    // Recorded before the file is read, so that a broken file is reported once.
    this.#version = version
    try {
      this.#reader = await readerOf(file)
    } catch (error) {
      if (!(error instanceof BadGeoip)) throw error
      onBroken(error)
    }
  }

  #recordOf(address: string): unknown {
    const plain = plainAddress(address)
    const version = isIP(plain)
    // The library would walk a tree of IPv4 with the bits of IPv6.
    if (version === 0 || (version === 6 && this.#reader.metadata.ipVersion === 4)) return null
    try {
      return this.#reader.get(plain)
    } catch {
      // A record that cannot be read is a place that is not known.
      return null
    }
  }
}

/** Another one when the file was changed or replaced. */
export async function fileVersion(file: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(file)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return 'gone'
  }
}

async function readerOf(file: string): Promise<Reader<Response>> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw BadGeoip.unreadable(file, { cause })
  })
  const reader = parsed(file, bytes)
  const { databaseType } = reader.metadata
  if (!KINDS.test(databaseType)) throw BadGeoip.ofAnotherKind(file, databaseType)
  return reader
}

function parsed(file: string, bytes: Buffer): Reader<Response> {
  try {
    const reader = new Reader<Response>(bytes)
    const { searchTreeSize, ipVersion, databaseType } = reader.metadata
    const isWhole = searchTreeSize + SEPARATOR_BYTES < bytes.length
    if (!isWhole || (ipVersion !== 4 && ipVersion !== 6) || typeof databaseType !== 'string') {
      throw BadGeoip.broken(file)
    }
    return reader
  } catch (cause) {
    throw cause instanceof BadGeoip ? cause : BadGeoip.broken(file, { cause })
  }
}

/** An IPv4 address that was written as IPv6 is the IPv4 address. */
function plainAddress(address: string): string {
  const plain = address.replace(/%.*$/, '')
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i.exec(plain)
  if (!mapped) return plain
  const [, dotted, high = '', low = ''] = mapped
  if (dotted !== undefined) return dotted
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [a >> 8, a & 255, b >> 8, b & 255].join('.')
}

/** Makers of such files write countries as `country.iso_code`, `country_code` or `country`. */
function countryIn(record: unknown): string | null {
  const country = fieldOf(record, 'country')
  const registered = fieldOf(fieldOf(record, 'registered_country'), 'iso_code')
  const named = [fieldOf(country, 'iso_code'), fieldOf(record, 'country_code'), country, registered]
  const codes = named.filter((value) => typeof value === 'string')
  return codes.find((code) => /^[a-z]{2}$/i.test(code))?.toUpperCase() ?? null
}

/** As a number, or as in `AS64500`. */
function asnIn(record: unknown): number | null {
  const name = 'autonomous_system_number'
  const given =
    fieldOf(fieldOf(record, 'traits'), name) ?? fieldOf(record, name) ?? fieldOf(record, 'asn')
  if (typeof given !== 'number' && typeof given !== 'string') return null
  const digits = /^(?:AS)?(\d{1,10})$/i.exec(String(given))?.[1]
  return digits === undefined ? null : Number(digits)
}

/** As `location.latitude`, or `latitude` at the top. */
function positionIn(record: unknown): GeoipPosition | null {
  const location = fieldOf(record, 'location') ?? record
  const [lat, lon] = ['latitude', 'longitude'].map((name) => fieldOf(location, name))
  if (typeof lat !== 'number' || typeof lon !== 'number') return null
  const radiusKm = fieldOf(location, 'accuracy_radius')
  return { lat, lon, ...(typeof radiusKm === 'number' && { errorKm: radiusKm }) }
}

function fieldOf(record: unknown, name: string): unknown {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, name)) return null
  return (record as Record<string, unknown>)[name]
}
