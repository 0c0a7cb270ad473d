/**
 * The body of an upload: a zstd-compressed JSON manifest followed by WARC members as they will
 * stand in the archive, so that the coordinator appends bytes without touching them.
 *
 *   4 bytes  length of the compressed manifest, big endian
 *   n bytes  manifest
 *   …        members, in the order and with the lengths that the manifest's results name
 */
import { zstdDecompressSync } from 'node:zlib'
import { BadUpload } from './message-errors.ts'
import { uploadManifest, type UploadManifest } from './messages.ts'

/** A manifest is a few KB per page; beyond this it is a decompression bomb, not an upload. */
const MANIFEST_BYTES_MAX = 64 * 1024 * 1024

/**
 * A value in memory is many times its text, and parsing cannot be interrupted: a manifest of nothing but brackets
 * would end the whole process. Links, its shortest values, have some twenty bytes each.
 */
const VALUES_MAX = 3_000_000
const [COMMA, BRACKET, BRACE] = Buffer.from(',[{')

export interface SplitUpload {
  /** The manifest, still compressed. */
  head: Buffer
  members: Buffer
}

export interface Upload {
  manifest: UploadManifest
  members: Buffer
}

export function decodeUpload(body: Buffer): Upload {
  const { head, members } = splitUpload(body)
  const { manifest } = readManifest(head)
  requireMembers(manifest, members.length)
  return { manifest, members }
}

/** Unpacks nothing. */
export function splitUpload(body: Buffer): SplitUpload {
  if (body.length < 4) throw new BadUpload('it is shorter than its own header')
  const headLength = body.readUInt32BE(0)
  if (headLength > body.length - 4) throw new BadUpload('its manifest is cut off')
  return { head: body.subarray(4, 4 + headLength), members: body.subarray(4 + headLength) }
}

export function requireMembers(manifest: UploadManifest, membersBytes: number): void {
  let named = 0
  for (const result of manifest.results) {
    if (result.type === 'captured') for (const length of result.members) named += length
  }
  if (named !== membersBytes) {
    throw new BadUpload(`its manifest names ${named} bytes of members but ${membersBytes} came`)
  }
}

/** Reading a manifest takes seconds at worst: one of a stranger is read in a worker thread. */
export function readManifest(head: Buffer): { manifest: UploadManifest; unpackedBytes: number } {
  try {
    const unpacked = zstdDecompressSync(head, { maxOutputLength: MANIFEST_BYTES_MAX })
    if (valuesAtMost(unpacked) > VALUES_MAX) throw new RangeError('too many values')
    const manifest = uploadManifest.parse(JSON.parse(unpacked.toString()))
    return { manifest, unpackedBytes: unpacked.length }
  } catch (cause) {
    throw new BadUpload('its manifest cannot be read', { cause })
  }
}

/** Signs inside of texts count as well: there are few. */
function valuesAtMost(json: Buffer): number {
  let values = 0
  // By index: an iterator takes seconds for a large manifest.
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1
  }
  return values
}
