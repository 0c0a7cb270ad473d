/** Bodies between stations: JSON in one zstd frame. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ZodType } from 'zod'
import { StationCallRefused } from './errors.ts'

/** Unpacked: a thousand claims with all their links, or ten thousand rows of the map, and some. */
const BYTES_MAX = 64 * 1024 * 1024

export function packJson(value: unknown): Buffer {
  return zstdCompressSync(JSON.stringify(value))
}

export function unpackJson<T>(bytes: Uint8Array, schema: ZodType<T>, bytesMax = BYTES_MAX): T {
  return schema.parse(parsed(bytes, bytesMax))
}

function parsed(bytes: Uint8Array, maxOutputLength: number): unknown {
  try {
    return JSON.parse(zstdDecompressSync(bytes, { maxOutputLength }).toString())
  } catch (cause) {
    throw StationCallRefused.unreadable({ cause })
  }
}
