/** The lines of a file from its end, in pieces: a long log is never held in memory. */
import { open } from 'node:fs/promises'

const PIECE_BYTES = 64 * 1024
const NEWLINE = 10

/** A last line without its end is left out: it was being written when the machine went down. */
export async function* linesBackwards(file: string): AsyncGenerator<string> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return
  try {
    let at = (await handle.stat()).size
    /** From the beginning of what was read so far to the first line that is whole. */
    let rest = Buffer.alloc(0)
    let hasEnd = false
    while (at > 0) {
      const length = Math.min(PIECE_BYTES, at)
      at -= length
      const piece = Buffer.alloc(length)
      await handle.read(piece, 0, length, at)
      const text = Buffer.concat([piece, rest])
      let end = text.length
      for (let i = text.length - 1; i >= 0; i--) {
        if (text[i] !== NEWLINE) continue
        if (hasEnd) yield text.toString('utf8', i + 1, end)
        hasEnd = true
        end = i
      }
      rest = text.subarray(0, end)
    }
    if (hasEnd) yield rest.toString('utf8')
  } finally {
    await handle.close()
  }
}
