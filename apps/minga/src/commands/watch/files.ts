/** `minga watch import` and `export`. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import { BadOption } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import { Output } from '../archive/output.ts'
import { throughApi, type WatchOptions } from './station.ts'
import { printJson, say } from './text.ts'

export const FORMATS = ['opml', 'csv', 'json'] as const
type Format = (typeof FORMATS)[number]

export interface FileOptions extends WatchOptions {
  as?: Format
  search?: string
  category?: string
  owner?: string
}

export function exportWatches(options: FileOptions): Promise<number> {
  const query = new URLSearchParams({ as: options.as ?? (options.json ? 'json' : 'opml') })
  for (const name of ['search', 'category', 'owner'] as const) {
    const value = options[name]
    if (value !== undefined) query.set(name, value)
  }
  return throughApi(options, async (api) => {
    const { body } = await api.read(`/watches/export?${String(query)}`)
    const output = new Output()
    await output.write(body)
    await output.end()
  })
}

interface Imported {
  added: number[]
  skipped: number
  problems: { line: number; code: string; message: string }[]
}

/** Bad lines are reported and the rest is imported; the exit code says that something was wrong. */
export async function importWatches(file: string, options: FileOptions): Promise<number> {
  const as = options.as ?? formatOf(file)
  const content = await contentOf(file)
  let problems = 0
  const code = await throughApi(
    options,
    async (api) => {
      const imported = await api.post<Imported>('/watches/import', { as, text: content })
      problems = imported.problems.length
      if (options.json) return printJson(imported)
      for (const problem of imported.problems) {
        say(`${file}:${problem.line} ${problem.message} (${problem.code})`)
      }
      const { added, skipped } = imported
      say(`${added.length} watches added, ${skipped} were there already, ${problems} problems`)
    },
    true,
  )
  return problems === 0 ? code : EXIT.error
}

function formatOf(file: string): Format {
  const ending = extname(file).slice(1).toLowerCase()
  const found = ending === 'xml' ? 'opml' : FORMATS.find((format) => format === ending)
  if (found === undefined) throw new BadOption('--as', FORMATS.join(', '), file)
  return found
}

async function contentOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new BadOption('watch import', 'a file that can be read', file, { cause })
  }
}
