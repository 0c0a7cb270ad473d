/**
 * Inputs that clients upload, in `inputs/ID/` below the lake's folder: the bytes, and `about.json`,
 * which names their owner. The folder is the only state, so after any crash the position of each
 * upload is known.
 */
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Clock, UploadMessage, UploadView } from '@minga/protocol'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { DiskFull } from '@minga/store'
import { BadPart, NoSuchUpload, UploadOffset, UploadOpen, UploadQuota } from '../lake-errors.ts'

export interface UploadLimits {
  /** Of all uploads of one account together. */
  bytesMax: number
  /** The same, of an account with no more rights than people who register themselves. */
  readerBytesMax: number
  /** Since the last part. */
  keptMs: number
}

export interface UploadsParts {
  /** The lake's folder. */
  folder: string
  clock: Clock
  limits: () => UploadLimits
  newId: () => string
}

interface About {
  id: string
  name: string
  owner: string
  bytes: number
  /** Its name in the upload's folder. */
  file: string
  isReady: boolean
  expiresAt: number
}

export const PART_BYTES_MAX = 16 * 1024 * 1024
const UPLOADS_FOLDER = 'inputs'
const ABOUT = 'about.json'
const ID = /^inp_[0-9a-f-]{8,64}$/

export class Uploads {
  readonly #parts: UploadsParts
  /** Parts of one upload come one after the other. */
  readonly #turns = new Map<string, object>()

  constructor(parts: UploadsParts) {
    this.#parts = parts
  }

  /** Counted together: two that begin at once must not both see the last room. */
  begin(owner: string, { name, bytes }: UploadMessage, isReader = false): Promise<UploadView> {
    return runExclusive(this, async () => {
      const { clock, newId } = this.#parts
      const { keptMs, ...limits } = this.#parts.limits()
      const bytesMax = isReader ? Math.min(limits.bytesMax, limits.readerBytesMax) : limits.bytesMax
      const used = (await this.#all()).filter((about) => about.owner === owner)
      if (used.reduce((sum, about) => sum + about.bytes, bytes) > bytesMax) {
        throw new UploadQuota(bytesMax)
      }
      const id = `inp_${newId()}`
      const file = `data${formatEnding(name)}`
      const expiresAt = clock.now() + keptMs
      const about = { id, name, owner, bytes, file, isReady: false, expiresAt }
      await mkdir(this.#at(id), { recursive: true })
      await this.#write(about)
      return this.#view(about)
    })
  }

  /** `owner`: null for callers who may see everyone's. */
  async list(owner: string | null): Promise<UploadView[]> {
    const all = (await this.#all()).filter((about) => owner === null || about.owner === owner)
    return Promise.all(all.map((about) => this.#view(about)))
  }

  async view(owner: string | null, id: string): Promise<UploadView> {
    return this.#view(await this.#find(owner, id))
  }

  append(owner: string | null, id: string, part: Omit<Part, 'total'>): Promise<UploadView> {
    return this.#inTurn(id, async () => {
      const about = await this.#find(owner, id)
      if (part.bytes.length > PART_BYTES_MAX) throw BadPart.tooMany(PART_BYTES_MAX)
      await appendPart(this.#dataOf(about), { ...part, total: about.bytes })
      return this.#view(await this.#keepOn(about))
    })
  }

  finish(owner: string | null, id: string, digest?: string): Promise<UploadView> {
    return this.#inTurn(id, async () => {
      const about = await this.#find(owner, id)
      if (about.isReady) return this.#view(about)
      const missing = about.bytes - (await receivedBytes(this.#dataOf(about)))
      if (missing > 0) throw new UploadOpen(id, missing)
      // An empty file has no part.
      if (about.bytes === 0) await writeFile(this.#dataOf(about), '')
      if (digest !== undefined && (await digestOf(this.#dataOf(about))) !== digest) {
        throw BadPart.wrongWhole()
      }
      return this.#view(await this.#keepOn({ ...about, isReady: true }))
    })
  }

  async remove(owner: string | null, id: string): Promise<void> {
    await this.#find(owner, id)
    await this.#inTurn(id, () => rm(this.#at(id), { recursive: true, force: true }))
    this.#turns.delete(id)
  }

  /** The whole file that a query is to read. */
  async ready(
    owner: string | null,
    id: string,
  ): Promise<{ file: string; name: string; bytes: number }> {
    const about = await this.#find(owner, id)
    const missing = about.bytes - (await receivedBytes(this.#dataOf(about)))
    if (!about.isReady) throw new UploadOpen(id, missing)
    return { file: `${UPLOADS_FOLDER}/${id}/${about.file}`, name: about.name, bytes: about.bytes }
  }

  /** Removes those whose time is over, but for those that queries read. */
  async sweep(inUse: ReadonlySet<string>): Promise<void> {
    const now = this.#parts.clock.now()
    for (const about of await this.#all()) {
      if (about.expiresAt > now) continue
      if (inUse.has(about.id)) await this.#inTurn(about.id, () => this.#keepOn(about))
      else await this.remove(null, about.id)
    }
  }

  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(id) ?? {}
    this.#turns.set(id, turn)
    return runExclusive(turn, work)
  }

  #at(id: string): string {
    return join(this.#parts.folder, UPLOADS_FOLDER, id)
  }

  #dataOf({ id, file }: About): string {
    return join(this.#at(id), file)
  }

  async #all(): Promise<About[]> {
    const names = await readdir(join(this.#parts.folder, UPLOADS_FOLDER)).catch(() => [])
    const all = await Promise.all(names.map((id) => this.#read(id)))
    return all.filter((about) => about !== null)
  }

  /** Null when there is none; one that died before it was written is none. */
  async #read(id: string): Promise<About | null> {
    if (!ID.test(id)) return null
    try {
      return JSON.parse(await readFile(join(this.#at(id), ABOUT), 'utf8')) as About
    } catch {
      return null
    }
  }

  async #find(owner: string | null, id: string): Promise<About> {
    const about = await this.#read(id)
    if (about === null || (owner !== null && about.owner !== owner)) throw new NoSuchUpload(id)
    return about
  }

  async #keepOn(about: About): Promise<About> {
    const { clock, limits } = this.#parts
    const kept = { ...about, expiresAt: clock.now() + limits().keptMs }
    await this.#write(kept)
    return kept
  }

  async #write(about: About): Promise<void> {
    const path = join(this.#at(about.id), ABOUT)
    await writeFile(`${path}.new`, JSON.stringify(about))
    await rename(`${path}.new`, path)
  }

  async #view(about: About): Promise<UploadView> {
    const { id, name, owner, bytes, isReady, expiresAt } = about
    const received = await receivedBytes(this.#dataOf(about))
    const state = isReady ? 'ready' : 'open'
    return { id, name, owner, bytes, received, state, expiresAt, partBytesMax: PART_BYTES_MAX }
  }
}

/** What tells the format of a file, and nothing else of its name. */
function formatEnding(name: string): string {
  const ending = /\.(csv|tsv|jsonl|ndjson|parquet|warc)(\.gz)?$/i.exec(name)?.[0] ?? ''
  return ending.toLowerCase()
}

export interface Part {
  offset: number
  /** Of the whole file. */
  total: number
  bytes: Buffer
  /** `sha256:` and its digits, of the part. */
  digest: string | undefined
}

/** A file that arrives in parts, each checked by its digest; what has arrived is what the file holds. */
export async function receivedBytes(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}

/**
 * How many bytes have arrived with this part. A part whose answer was lost is sent again and refused with where to
 * go on; one that was cut short by a crash is continued in its middle. Only one call at a time for a file.
 */
export async function appendPart(path: string, part: Part): Promise<number> {
  const { offset, total, bytes, digest } = part
  if (digest === undefined) throw BadPart.withoutDigest()
  if (offset + bytes.length > total) throw BadPart.tooMany(total)
  if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest)
    throw BadPart.broken()
  const received = await receivedBytes(path)
  if (offset !== received) throw new UploadOffset(received)
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'a')
  try {
    await file.writeFile(bytes)
    await file.datasync()
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOSPC') throw DiskFull.at(dirname(path))
    throw error
  } finally {
    await file.close()
  }
  return received + bytes.length
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return `sha256:${hash.digest('hex')}`
}
