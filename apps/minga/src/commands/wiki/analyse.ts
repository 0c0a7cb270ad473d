/** `minga wiki diff|authors|metrics|query`: what histories tell. */
import { EXIT } from '../../exit-codes.ts'
import { BadOption } from '../../errors.ts'
import { Output } from '../archive/output.ts'
import { readText } from './files.ts'
import { queryOf, slowly, throughWikis, wikiPath, type WikiOptions } from './folder.ts'

interface TextDiff {
  parts: { kind: 'same' | 'removed' | 'added' | 'moved-from' | 'moved-to'; text: string }[]
  tokens: { same: number; removed: number; added: number; moved: number }
}

export async function diff(
  wiki: string,
  revisions: { before: number; after: number },
  options: WikiOptions & { slot: string },
): Promise<number> {
  const path = wikiPath(wiki, `/diff${queryOf({ ...revisions, slot: options.slot })}`)
  const told = await throughWikis(options, (api) => api.get<TextDiff>(path))
  return print(options.json ? `${JSON.stringify(told)}\n` : diffText(told))
}

/** As wdiff writes it; of what stayed, the lines around. */
function diffText({ parts, tokens }: TextDiff): string {
  const marked = parts.map(({ kind, text }) => {
    if (kind === 'removed' || kind === 'moved-from') return `[-${text}-]`
    if (kind === 'added' || kind === 'moved-to') return `{+${text}+}`
    return shortened(text)
  })
  const { removed, added, moved } = tokens
  return `${marked.join('')}\n${added} words added, ${removed} removed, ${moved} moved\n`
}

const AROUND_LINES = 2

function shortened(text: string): string {
  const lines = text.split('\n')
  if (lines.length <= 2 * AROUND_LINES + 2) return text
  const between = lines.length - 2 * AROUND_LINES
  const head = lines.slice(0, AROUND_LINES)
  return [...head, `… ${between} lines …`, ...lines.slice(-AROUND_LINES)].join('\n')
}

interface Authors {
  title: string
  editors: { user: string | null; added: number; present: number; share: number }[]
}

export async function authors(
  wiki: string,
  title: string,
  options: WikiOptions & { tokens?: boolean },
): Promise<number> {
  const asked = queryOf({ title, tokens: options.tokens && options.json })
  const path = wikiPath(wiki, `/authors${asked}`)
  const told = await throughWikis(options, (api) => slowly<Authors>(api, path))
  if (options.json) return print(`${JSON.stringify(told)}\n`)
  const lines = told.editors.map(({ user, added, present, share }) => {
    const part = `${(share * 100).toFixed(1)} %`.padStart(7)
    return `${part}  ${String(present).padStart(7)} of ${String(added).padEnd(7)}  ${user ?? '(hidden)'}\n`
  })
  return print(lines.join(''))
}

export interface MetricsOptions extends WikiOptions {
  only?: string
  user?: string
  from?: string
  until?: string
  csv?: boolean
}

export async function metrics(
  wiki: string,
  title: string | undefined,
  options: MetricsOptions,
): Promise<number> {
  const { only, user, from: datestart, until: dateend, csv } = options
  const as = csv ? 'csv' : undefined
  const path = wikiPath(wiki, `/metrics${queryOf({ title, only, user, datestart, dateend, as })}`)
  if (csv) return print((await throughWikis(options, (api) => api.read(path))).body)
  const told = await throughWikis(options, (api) => api.get<Record<string, unknown>>(path))
  return print(options.json ? `${JSON.stringify(told)}\n` : measuresText(told))
}

/** Single figures on a line, lists as lines below their name. */
function measuresText(told: Record<string, unknown>): string {
  return Object.entries(told)
    .map(([name, value]) => {
      if (!Array.isArray(value)) return `${name}: ${plain(value)}\n`
      return `${name}:\n${value.map((row) => `  ${plain(row)}\n`).join('')}`
    })
    .join('')
}

function plain(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([name, field]) =>
    typeof field === 'object' && field !== null
      ? `${name} ${JSON.stringify(field)}`
      : `${name} ${String(field)}`,
  )
  return fields.join(', ')
}

const MORE_ROWS = 'minga: there are more rows; raise "limit" to see them\n'

export async function query(
  wiki: string,
  file: string,
  options: WikiOptions & { csv?: boolean },
): Promise<number> {
  const question = parsed(await readText(file), file)
  if (options.csv) return queryAsCsv(wiki, question, options)
  const path = wikiPath(wiki, '/query')
  const told = await throughWikis(options, (api) =>
    api.post<{ rows: unknown[]; isCut: boolean }>(path, question),
  )
  if (options.json) return print(`${JSON.stringify(told)}\n`)
  if (told.isCut) process.stderr.write(MORE_ROWS)
  return print(told.rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

async function queryAsCsv(wiki: string, question: unknown, options: WikiOptions): Promise<number> {
  const path = wikiPath(wiki, '/query?as=csv')
  const { body, headers } = await throughWikis(options, (api) => api.read(path, question))
  if (headers['x-more-rows'] === 'true') process.stderr.write(MORE_ROWS)
  return print(body)
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BadOption('query', 'a file with one JSON object', file, { cause })
  }
}

async function print(text: string | Buffer): Promise<number> {
  const output = new Output()
  await output.write(text)
  await output.end()
  return EXIT.ok
}
