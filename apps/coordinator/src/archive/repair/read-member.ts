/** Records of captures as they lie in their files, and as they are handed out. */
import { recordIdOf, referTo, UnreadableRecord, type Referred } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** A record as it stands in the archive. */
export async function readBytes(
  data: string,
  { file, offset, length }: CaptureRow,
): Promise<Buffer> {
  const handle = await open(join(data, 'archive', file))
  try {
    const bytes = Buffer.alloc(length)
    await handle.read(bytes, 0, length, offset)
    return bytes
  } finally {
    await handle.close()
  }
}

/** A revisit refers to the response that holds its payload, whatever its file says. */
export async function readMember(
  data: string,
  row: CaptureRow,
  payload: CaptureRow | null,
): Promise<Buffer> {
  const bytes = await readBytes(data, row)
  if (row.kind === 'response' || payload === null) return bytes
  const referred = await referredOf(data, payload)
  try {
    return referTo(bytes, referred)
  } catch (error) {
    // Damage is handed out as it is, because the caller may still read a part of it.
    if (error instanceof UnreadableRecord) return bytes
    throw error
  }
}

/** What a revisit has to say of the response with its payload. */
export async function referredOf(data: string, payload: CaptureRow): Promise<Referred> {
  const { digest, url, capturedAt } = payload
  const recordId = payload.recordId ?? recordIdOf(await readBytes(data, payload))
  return { digest, url, capturedAt, recordId }
}
