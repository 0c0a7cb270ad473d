/** What a query is asked with: files, tables and parameters from the command line. */
import type { Query } from '@minga/lake'
import { checkQuery } from '@minga/lake/check-query'
import type { InputSource, QueryQuestion } from '@minga/protocol'
import { hash } from 'node:crypto'
import { basename, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BadOption, UnreadableFile } from '../../../errors.ts'
import {
  copyByContent,
  inputFile,
  readJsonFile,
  requireReadable,
  type InputFile,
} from '../files.ts'
import type { RunOptions } from './query.ts'

export interface Asked {
  queries: QueryQuestion['queries']
  /** Of the shipped and of those from files. */
  names: string[]
  tables: Record<string, InputSource>
  files: InputFile[]
  parameters: Record<string, string | number>
}

export async function readQuestion(names: readonly string[], options: RunOptions): Promise<Asked> {
  const pairs = [...(options.table ?? []), ...(options.input ?? [])]
  const inputs = pairs.map((text) => text.split('=', 1)[0]!)
  const twice = inputs.find((input, place) => inputs.indexOf(input) !== place)
  if (twice !== undefined) throw new BadOption('--input', 'one file or table for each name', twice)
  const queries = await Promise.all(names.map((name) => readOne(name, options)))
  return {
    queries,
    names: queries.map((query) => (typeof query === 'string' ? query : query.name)),
    tables: Object.fromEntries((options.table ?? []).map(tableOf)),
    files: await Promise.all((options.input ?? []).map(fileOf)),
    parameters: Object.fromEntries((options.param ?? []).map((text) => pairOf('--param', text))),
  }
}

/** Equal for the same question about the same files: then a run resumes instead of starting again. */
export function identityOf(asked: Asked, { format, memory }: RunOptions): string {
  return hash('sha256', JSON.stringify([asked, format, memory ?? null]))
}

export function pairOf(option: string, text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new BadOption(option, 'name=value', text)
  return [text.slice(0, at), text.slice(at + 1)]
}

function tableOf(text: string): [string, InputSource] {
  const [input, named] = pairOf('--table', text)
  const { table, version } = /^(?<table>[^@]+)(?:@(?<version>\d+))?$/.exec(named)?.groups ?? {}
  if (table === undefined) throw new BadOption('--table', 'name=table or name=table@version', text)
  return [input, { table, ...(version === undefined ? {} : { version: Number(version) }) }]
}

function fileOf(text: string): Promise<InputFile> {
  return inputFile(...pairOf('--input', text))
}

const MODULES = new Set(['.ts', '.mts', '.js', '.mjs'])

async function readOne(name: string, options: RunOptions): Promise<string | Query> {
  const ending = extname(name)
  if (ending === '.json') return checkQuery(await readJsonFile(name))
  if (!MODULES.has(ending)) return name
  await requireReadable(name)
  const file = resolve(name)
  const module = await (import(pathToFileURL(file).href) as Promise<Record<string, unknown>>).catch(
    (cause: unknown) => {
      throw new UnreadableFile(name, { cause })
    },
  )
  const query = checkQuery(module['query'])
  return module['rowFunction'] === undefined ? query : withFunction(query, file, options)
}

/**
 * A row function that came with a query is code: only the station's own operator, who may write to its folder, can
 * bring it. Its name carries what is in it, so that a worker never runs a former version.
 */
async function withFunction(query: Query, file: string, options: RunOptions): Promise<Query> {
  if (options.station !== undefined) {
    throw new BadOption('--station', 'queries without row functions of their own', basename(file))
  }
  const former = basename(file, extname(file))
  const name = await copyByContent(file, join(resolve(options.data), 'lake/functions'))
  const text = JSON.stringify(query).replaceAll(`"file:${former}"`, `"file:${name}"`)
  return checkQuery(JSON.parse(text))
}
