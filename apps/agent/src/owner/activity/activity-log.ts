/**
 * Every request that a volunteer's machine made, for its owner to read: `activity.jsonl`, one JSON
 * line each, and `activity.old.jsonl` before it. Lines wait in memory and are written together, at
 * most a second late: what a kill −9 takes away is that second.
 */
import { appendFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ActivityLine } from '../control.ts'

/** What the agent's other files take: its key, its limits, its counts, its lock. */
const OTHER_FILES_BYTES = 100_000

export interface ActivityQuery {
  before?: number
  limit: number
  host?: string
}

export class ActivityLog {
  readonly #file: string
  readonly #oldFile: string
  #fileBytesMax = 0
  #fileBytes = 0
  #oldFileBytes = 0
  #lastNo = 0
  #unwritten: ActivityLine[] = []
  /** One at a time: a file that is being read cannot be renamed everywhere. */
  #last: Promise<unknown> = Promise.resolve()

  static async open(data: string, diskBytes: number): Promise<ActivityLog> {
    await mkdir(data, { recursive: true })
    const log = new ActivityLog(data)
    log.setDisk(diskBytes)
    await log.#resume()
    return log
  }

  private constructor(data: string) {
    this.#file = join(data, 'activity.jsonl')
    this.#oldFile = join(data, 'activity.old.jsonl')
  }

  async #resume(): Promise<void> {
    this.#fileBytes = await sizeOf(this.#file)
    this.#oldFileBytes = await sizeOf(this.#oldFile)
    for await (const line of this.#lines()) {
      this.#lastNo = line.no
      break
    }
    // A line that a crash cut short is ended, so that the next one is not lost with it.
    if (this.#fileBytes > 0) await this.#append('\n')
  }

  setDisk(diskBytes: number): void {
    this.#fileBytesMax = (diskBytes - OTHER_FILES_BYTES) / 2
  }

  add(line: Omit<ActivityLine, 'no'>): void {
    this.#unwritten.push({ no: ++this.#lastNo, ...line })
  }

  flush(): Promise<void> {
    return this.#inTurn(() => this.#write())
  }

  /** Newest first. */
  read({ before = Infinity, limit, host }: ActivityQuery): Promise<ActivityLine[]> {
    return this.#inTurn(async () => {
      await this.#write()
      const found: ActivityLine[] = []
      for await (const line of this.#lines()) {
        if (found.length >= limit) break
        if (line.no >= before) continue
        if (host === undefined || isAt(line.url, host)) found.push(line)
      }
      return found
    })
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const acting = this.#last.then(act)
    this.#last = acting.catch(() => {})
    return acting
  }

  async #write(): Promise<void> {
    const lines = this.#unwritten
    this.#unwritten = []
    let text = ''
    for (const line of lines) {
      const next = `${JSON.stringify(line)}\n`
      // Characters are at most bytes; what a URL holds beyond ASCII is escaped.
      if (this.#fileBytes + text.length + next.length > this.#fileBytesMax) {
        await this.#append(text)
        await this.#turnOver()
        text = ''
      }
      text += next
    }
    await this.#append(text)
    // The owner may have lowered the limit.
    if (this.#fileBytes > this.#fileBytesMax) await this.#turnOver()
    if (this.#oldFileBytes > this.#fileBytesMax) {
      await rm(this.#oldFile, { force: true })
      this.#oldFileBytes = 0
    }
  }

  async #append(text: string): Promise<void> {
    if (text === '') return
    await appendFile(this.#file, text, { mode: 0o600 })
    this.#fileBytes += Buffer.byteLength(text)
  }

  /** Two files share the room: when the newer is full, the older goes. */
  async #turnOver(): Promise<void> {
    if (this.#fileBytes === 0) return
    await rename(this.#file, this.#oldFile)
    this.#oldFileBytes = this.#fileBytes
    this.#fileBytes = 0
  }

  async *#lines(): AsyncGenerator<ActivityLine> {
    for (const file of [this.#file, this.#oldFile]) {
      for await (const text of linesBackwards(file)) {
        const line = parsed(text)
        if (line !== null) yield line
      }
    }
  }
}

/** With its port or without. */
function isAt(url: string, host: string): boolean {
  const at = URL.parse(url)
  return at !== null && (at.host === host || at.hostname === host)
}

function parsed(text: string): ActivityLine | null {
  try {
    const line = JSON.parse(text) as ActivityLine
    return Number.isSafeInteger(line?.no) && typeof line.url === 'string' ? line : null
  } catch {
    return null
  }
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0
}

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
