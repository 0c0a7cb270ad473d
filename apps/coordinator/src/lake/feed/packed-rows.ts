/**
 * Rows of an upload, packed small: the values of each column together, as JSON, compressed at once
 * and unpacked where the segment is written.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { hostKeyOf } from '@minga/net'
import type { Cell } from './feed-tables.ts'

/** What a page points at. */
export interface PageLinks {
  /** Its result's place in the upload: only if that counts, so do they. */
  place: number
  collection: number
  url: string
  at: number
  /** By what they are: link, embed, sitemap, redirect. */
  to: [kind: string, urls: readonly string[]][]
}

/** As the table has it, but for the host, which the URL tells. */
export type RequestCells = [
  collection: number,
  url: string,
  at: number,
  outcome: string,
  status: number | null,
  code: string | null,
  attempts: number,
  bytes: number,
  totalMs: number | null,
  device: string | null,
]

export interface Packed {
  bytes: Uint8Array
  /** Places of the results that count; null: all. */
  kept: readonly number[] | null
}

/** The fastest: most of what compresses is the same words again and again. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export const pack = (value: readonly PageLinks[] | readonly RequestCells[]): Uint8Array =>
  zstdCompressSync(JSON.stringify(value), FAST)

export function* linkRows({ bytes, kept }: Packed): Generator<Cell[]> {
  const counting = kept === null ? null : new Set(kept)
  for (const { place, collection, url, at, to } of opened<PageLinks>(bytes)) {
    if (counting?.has(place) === false) continue
    const host = hostKeyOf(url)
    for (const [kind, urls] of to) {
      for (const toUrl of urls) yield [collection, url, host, toUrl, hostKeyOf(toUrl), kind, at]
    }
  }
}

export function* requestRows({ bytes }: Packed): Generator<Cell[]> {
  for (const [collection, url, ...rest] of opened<RequestCells>(bytes)) {
    yield [collection, url, hostKeyOf(url), ...rest]
  }
}

const opened = <T>(bytes: Uint8Array): T[] => JSON.parse(String(zstdDecompressSync(bytes))) as T[]
