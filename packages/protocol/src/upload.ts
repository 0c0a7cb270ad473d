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
const MANIFEST_BYTES_MAX = 256 * 1024 * 1024

export interface Upload {
  manifest: UploadManifest
  members: Buffer
}

export function decodeUpload(body: Buffer): Upload {
  if (body.length < 4) throw new BadUpload('it is shorter than its own header')
  const headLength = body.readUInt32BE(0)
  if (headLength > body.length - 4) throw new BadUpload('its manifest is cut off')
  const manifest = parseManifest(body.subarray(4, 4 + headLength))
  const members = body.subarray(4 + headLength)
  let named = 0
  for (const result of manifest.results) {
    if (result.type === 'captured') for (const length of result.members) named += length
  }
  if (named !== members.length) {
    throw new BadUpload(`its manifest names ${named} bytes of members but ${members.length} came`)
  }
  return { manifest, members }
}

function parseManifest(compressed: Buffer): UploadManifest {
  try {
    const text = zstdDecompressSync(compressed, { maxOutputLength: MANIFEST_BYTES_MAX }).toString()
    return uploadManifest.parse(JSON.parse(text))
  } catch (cause) {
    throw new BadUpload('its manifest cannot be read', { cause })
  }
}
