/**
 * Sends a file up part by part. A part that did not arrive is sent again from where the station says it is; after a few
 * without success it gives up, and what has arrived stays for the next try.
 */

export interface UploadCalls {
  begin: (name: string, bytes: number) => Promise<Uploading>
  /** How far it came; null when the part was not taken. */
  send: (
    id: string,
    part: { offset: number; bytes: Blob; signal: AbortSignal },
  ) => Promise<number | null>
  read: (id: string) => Promise<Uploading>
  finish: (id: string) => Promise<unknown>
  sleep: (ms: number) => Promise<void>
}

interface Uploading {
  id: string
  received: number
  partBytesMax: number
}

interface UploadOptions {
  signal: AbortSignal
  onProgress: (received: number) => void
}

const PART_BYTES = 4 * 1024 * 1024
const TRIES_MOST = 5
const REST_MS = 500

export class UploadStuck extends Error {}

export async function uploadFile(
  file: Pick<File, 'name' | 'size' | 'slice'>,
  calls: UploadCalls,
  { signal, onProgress }: UploadOptions,
): Promise<string> {
  const { id, partBytesMax } = await calls.begin(file.name, file.size)
  const partBytes = Math.min(PART_BYTES, partBytesMax)
  let received = 0
  let tries = 0
  while (received < file.size) {
    signal.throwIfAborted()
    const bytes = file.slice(received, received + partBytes)
    const reached = await calls.send(id, { offset: received, bytes, signal })
    if (reached === null || reached <= received) {
      if (++tries >= TRIES_MOST) throw new UploadStuck()
      await calls.sleep(REST_MS * 2 ** tries)
      received = await whereItIs(calls, id, received)
    } else {
      tries = 0
      received = reached
    }
    onProgress(received)
  }
  await calls.finish(id)
  return id
}

/** The station may be away for a moment: then the part is sent again as it was. */
async function whereItIs(calls: UploadCalls, id: string, known: number): Promise<number> {
  try {
    return (await calls.read(id)).received
  } catch {
    return known
  }
}
