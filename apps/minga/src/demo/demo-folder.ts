/**
 * What the demo keeps in the station's folder: when it began, the port of its web, which acts of it are done, and
 * the passwords of the people it made up. A demo that is started again continues with them instead of doubling anything.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Kept {
  begunAt: number | null
  port: number | null
  done: string[]
  passwords: Record<string, string>
}

/** Passwords of people who are made up still open a door to the station. */
const OWNER_ONLY = 0o600

export class DemoFolder {
  readonly path: string
  readonly #data: string
  #kept: Kept = { begunAt: null, port: null, done: [], passwords: {} }

  /** `data` is the station's folder. */
  static async open(data: string): Promise<DemoFolder> {
    const folder = new DemoFolder(data)
    await mkdir(folder.path, { recursive: true })
    await folder.#read()
    return folder
  }

  private constructor(data: string) {
    this.#data = data
    this.path = join(data, 'demo')
  }

  /** Null before the first start. */
  get begunAt(): number | null {
    return this.#kept.begunAt
  }

  get port(): number | null {
    return this.#kept.port
  }

  isDone(act: string): boolean {
    return this.#kept.done.includes(act)
  }

  passwordOf(account: string): string | null {
    return this.#kept.passwords[account] ?? null
  }

  keepStart(begunAt: number, port: number): Promise<void> {
    return this.#write({ ...this.#kept, begunAt, port })
  }

  keepDone(act: string): Promise<void> {
    return this.#write({ ...this.#kept, done: [...this.#kept.done, act] })
  }

  keepPassword(account: string, password: string): Promise<void> {
    const passwords = { ...this.#kept.passwords, [account]: password }
    return this.#write({ ...this.#kept, passwords })
  }

  /** A file of the demo's own; its whole path. */
  async put(name: string, content: string | Buffer): Promise<string> {
    const file = join(this.path, name)
    await writeFile(file, content)
    return file
  }

  /** A row function is a module that the operator puts into the station's own folder of them. */
  async putRowFunction(name: string, text: string): Promise<void> {
    const functions = join(this.#data, 'lake/functions')
    await mkdir(functions, { recursive: true })
    await writeFile(join(functions, `${name}.ts`), text)
  }

  async #read(): Promise<void> {
    try {
      const text = await readFile(join(this.path, 'demo.json'), 'utf8')
      this.#kept = { ...this.#kept, ...(JSON.parse(text) as Kept) }
    } catch {
      // The first start, or a damaged file: the demo starts again.
    }
  }

  async #write(kept: Kept): Promise<void> {
    this.#kept = kept
    const file = join(this.path, 'demo.json')
    await writeFile(`${file}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: OWNER_ONLY })
    await rename(`${file}.new`, file)
  }
}
