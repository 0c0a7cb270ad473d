/** The agent's side of upload.ts, which has the format. Apart from it: writing needs no zod. */
import { zstdCompressSync } from 'node:zlib'
import type { UploadManifest } from './messages.ts'

export function encodeUpload(
  manifest: UploadManifest,
  members: readonly Uint8Array[],
): Buffer<ArrayBuffer> {
  const head = zstdCompressSync(Buffer.from(JSON.stringify(manifest)))
  let bytes = 4 + head.length
  for (const member of members) bytes += member.length
  // Memory of its own, not from Node's pool: an upload is handed over between threads.
  const upload = Buffer.allocUnsafeSlow(bytes)
  upload.writeUInt32BE(head.length)
  upload.set(head, 4)
  let at = 4 + head.length
  for (const member of members) {
    upload.set(member, at)
    at += member.length
  }
  return upload
}
