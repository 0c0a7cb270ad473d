/**
 * The identity of a dump when it is imported again: the same file resumes where its import ended.
 */
import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { NoSuchDump } from '../errors.ts'

export interface DumpIdentity {
  identity: string
  /** When the dump was made, as far as its name says; null when it does not. */
  madeAt: number | null
}

/** A head of this size has the wiki's name and its first pages. */
const HEAD_BYTES = 1024 * 1024

export async function identifyDump(path: string): Promise<DumpIdentity> {
  try {
    const { size, mtimeMs } = await stat(path)
    const head = await headOf(path)
    const digest = createHash('sha256').update(head).digest('hex').slice(0, 32)
    const name = basename(path)
    return {
      identity: `${name} ${size} ${Math.trunc(mtimeMs)} ${digest}`,
      madeAt: dateIn(name),
    }
  } catch (cause) {
    throw new NoSuchDump(path, { cause })
  }
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Dumps of Wikimedia carry their day: `eswiki-20240101-pages-meta-history.xml.bz2`. */
function dateIn(name: string): number | null {
  const found = /(?:^|[-_.])((?:19|20)\d\d)(\d\d)(\d\d)(?=[-_.]|$)/.exec(name)
  if (found === null) return null
  const [, year, month, day] = found
  const at = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  return Number.isNaN(at) ? null : at
}
