/**
 * The folder of answers. While a query runs, OUT/.partial holds its id, rows as they come and files on their way
 * here; an answer gets its name when it is whole and on disk.
 */
import { isMingaError, type QueryRows, type QueryView } from '@minga/protocol'
import { open, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isAlive } from '../../../processes.ts'
import { makeFolder, requireFolder, writeWhole, writingTo } from '../../../output-place.ts'
import type { InputFile } from '../files.ts'

/** What a run that was killed leaves to the next. */
interface Begun {
  id: string
  identity: string
  uploads: Record<string, string>
}

/** Each time another run must have ended within the same millisecond. */
const WRITE_TRIES = 5

export class QueryFolder {
  readonly #out: string
  readonly #partial: string
  readonly #begun: Begun
  readonly #isNobodys: boolean
  readonly #seen = new Set<string>()

  private constructor(out: string, begun: Begun, isNobodys: boolean) {
    this.#out = out
    this.#isNobodys = isNobodys
    this.#partial = join(out, '.partial')
    this.#begun = begun
  }

  /** Continues with the query of a former run, if it asked the same; `newId` is for the others. */
  static async open(
    out: string | null,
    identity: string,
    newId: () => string,
    // A folder without an owner: what the next run must know is in a place that may be lost, unless an option says otherwise.
    nobodys: string = tmpdir(),
  ): Promise<QueryFolder> {
    const folder =
      out === null ? join(nobodys, `minga-query-${identity.slice(0, 16)}`) : resolve(out)
    await requireFolder('--out', folder)
    const former = await readBegun(join(folder, '.partial'))
    const isSame = former?.identity === identity
    const begun = isSame ? former : { id: newId(), identity, uploads: former?.uploads ?? {} }
    const opened = new QueryFolder(folder, begun, out === null)
    await opened.#note()
    return opened
  }

  get id(): string {
    return this.#begun.id
  }

  /** The former one ended without answers. */
  async beginAnew(id: string): Promise<void> {
    this.#begun.id = id
    await this.#note()
  }

  async uploadOf(file: InputFile): Promise<string | null> {
    return this.#begun.uploads[uploadKey(file)] ?? null
  }

  async noteUpload(file: InputFile, id: string): Promise<void> {
    this.#begun.uploads[uploadKey(file)] = id
    await this.#note()
  }

  /** A line per row, in the order in which rows come; a resumed run writes them again. */
  async addRows({ query, columns, rows }: QueryRows): Promise<void> {
    const lines = rows.map((row) =>
      JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, row[i]]))),
    )
    const flag = this.#seen.has(query) ? 'a' : 'w'
    this.#seen.add(query)
    const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`
    const file = join(this.#partial, `${query}.jsonl`)
    await this.#write(() => writeFile(file, text, { flag }))
  }

  /** Resolves to the path of the answer, which is there whole or not at all. */
  async keep(name: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
    const path = join(this.#out, name)
    // Of its own: two runs of one command may fetch the same answer at once.
    const arriving = join(this.#partial, `${name}.${process.pid}.arriving`)
    await this.#write(() => writeFile(arriving, ''))
    await writingTo(this.#out, () => writeWhole(path, bytes, arriving))
    await sync(this.#out)
    return path
  }

  /** What is refused for good leaves nothing, unless something was sent that a next run could use. */
  async submit(ask: () => Promise<QueryView>): Promise<QueryView> {
    try {
      return await ask()
    } catch (error) {
      const isRefused = isMingaError(error) && error.retry === 'never'
      if (isRefused && Object.keys(this.#begun.uploads).length === 0) await this.forget()
      throw error
    }
  }

  /** What another run of the same command is fetching just now stays; that run removes it. */
  async forget(): Promise<void> {
    if (this.#isNobodys) return rm(this.#out, { recursive: true, force: true })
    const names = await readdir(this.#partial).catch(() => [])
    const done = names.filter((name) => !isArrivingElsewhere(name))
    await Promise.all(done.map((name) => rm(join(this.#partial, name), { force: true })))
    await rmdir(this.#partial).catch(() => {})
  }

  /** Another run may end just now, and take the folder with it. */
  #write(write: () => Promise<void>): Promise<void> {
    return writingTo(this.#out, async () => {
      for (let tries = 1; ; tries += 1) {
        await makeFolder(this.#partial)
        try {
          return await write()
        } catch (error) {
          const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
          if (!isGone || tries === WRITE_TRIES) throw error
        }
      }
    })
  }

  async #note(): Promise<void> {
    const file = join(this.#partial, 'query.json')
    await this.#write(async () => {
      await writeFile(`${file}.new`, JSON.stringify(this.#begun), { flush: true })
      await rename(`${file}.new`, file)
    })
  }
}

function isArrivingElsewhere(name: string): boolean {
  const pid = Number(/\.(\d+)\.arriving$/.exec(name)?.[1] ?? 0)
  return pid !== 0 && pid !== process.pid && isAlive(pid)
}

const uploadKey = ({ path, bytes, changedAtMs }: InputFile): string =>
  `${path} ${bytes} ${changedAtMs}`

async function readBegun(partial: string): Promise<Begun | null> {
  try {
    const begun = JSON.parse(await readFile(join(partial, 'query.json'), 'utf8')) as Partial<Begun>
    const { id, identity, uploads = {} } = begun
    return id === undefined || identity === undefined ? null : { id, identity, uploads }
  } catch {
    // None, or one that was cut: there is nothing to continue with.
    return null
  }
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
