/** Bodies between stations: JSON in one zstd frame. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ZodType } from 'zod'
import { countValues } from '../../http/request-limits/json-values.ts'
import { StationCallRefused } from '../errors.ts'

/** Unpacked: a thousand claims with all their links, or ten thousand rows of the map, and some. */
const BYTES_MAX = 64 * 1024 * 1024
/** A thousand claims have a thousand links of two values each. Many more would stop the main loop for seconds. */
const VALUES_MAX = 3_500_000

export function packJson(value: unknown): Buffer {
  return zstdCompressSync(JSON.stringify(value))
}

export function unpackJson<T>(bytes: Uint8Array, schema: ZodType<T>, bytesMax = BYTES_MAX): T {
  return schema.parse(parsed(bytes, bytesMax))
}

function parsed(bytes: Uint8Array, maxOutputLength: number): unknown {
  try {
    const json = zstdDecompressSync(bytes, { maxOutputLength }).toString()
    if (countValues(json, VALUES_MAX) > VALUES_MAX) throw StationCallRefused.unreadable()
    return JSON.parse(json)
  } catch (cause) {
    if (cause instanceof StationCallRefused) throw cause
    throw StationCallRefused.unreadable({ cause })
  }
}
