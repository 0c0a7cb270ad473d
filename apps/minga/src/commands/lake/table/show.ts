/** Looks at tables. */
import type { TableView } from '@minga/protocol'
import { EXIT } from '../../../exit-codes.ts'
import { formatBytes } from '../../../progress.ts'
import { askLake, printFacts, requireTables, textTable } from '../answers.ts'
import type { QueryOptions } from '../query/query.ts'

export interface RowsOptions extends QueryOptions {
  limit: number
  version?: number
}

interface Rows {
  columns: (string | { name: string })[]
  rows: unknown[][]
}

export async function listTables(options: QueryOptions): Promise<number> {
  requireTables(options)
  const tables = await askLake(options, ({ api }) => api.get<TableView[]>('/tables'))
  const rows = tables.map(({ name, kind, rows: count, bytes, segments, version }) => [
    name,
    kind,
    count,
    formatBytes(bytes),
    segments,
    version,
  ])
  const columns = ['table', 'kind', 'rows', 'size', 'segments', 'version']
  printFacts(options, { tables }, textTable(columns, rows))
  return EXIT.ok
}

export async function describeTable(name: string, options: QueryOptions): Promise<number> {
  requireTables(options)
  const table = await askLake(options, ({ api }) => api.get<TableView>(`/tables/${name}`))
  const rows = table.columns.map((column) => [column.name, column.type])
  printFacts(options, table, textTable(['column', 'type'], rows))
  return EXIT.ok
}

export async function showRows(name: string, options: RowsOptions): Promise<number> {
  requireTables(options)
  const { limit, version } = options
  const at = version === undefined ? '' : `&version=${version}`
  const found = await askLake(options, ({ api }) =>
    api.get<Rows>(`/tables/${name}/rows?limit=${limit}${at}`),
  )
  printFacts(options, found, rowsAsText(found))
  return EXIT.ok
}

export async function showRejects(name: string, options: RowsOptions): Promise<number> {
  requireTables(options)
  const found = await askLake(options, ({ api }) =>
    api.get<Rows & { reasons: Record<string, number> }>(
      `/tables/${name}/rejects?limit=${options.limit}`,
    ),
  )
  const reasons = Object.entries(found.reasons).map(([reason, count]) => [reason, count])
  const counted = textTable(['reason', 'rows'], reasons)
  printFacts(options, found, [...counted, '', ...rowsAsText(found)])
  return EXIT.ok
}

interface Version {
  version: number
  at: number
  why: string
}

export async function showVersions(name: string, options: QueryOptions): Promise<number> {
  requireTables(options)
  const versions = await askLake(options, ({ api }) =>
    api.get<Version[]>(`/tables/${name}/versions`),
  )
  const rows = versions.map(({ version, at, why }) => [version, new Date(at).toISOString(), why])
  printFacts(options, { versions }, textTable(['version', 'at', 'why'], rows))
  return EXIT.ok
}

export async function compactTable(name: string, options: QueryOptions): Promise<number> {
  requireTables(options)
  const answer = await askLake(options, ({ api }) =>
    api.post<{ query: { id: string } | null }>(`/tables/${name}/compact`, {}),
  )
  const line =
    answer.query === null ? 'It is compact already.' : `Query ${answer.query.id} compacts it.`
  printFacts(options, answer, [line])
  return EXIT.ok
}

export async function dropTable(name: string, options: QueryOptions): Promise<number> {
  requireTables(options)
  await askLake(options, ({ api }) => api.remove(`/tables/${name}`))
  printFacts(options, { dropped: name }, [`${name} is dropped.`])
  return EXIT.ok
}

const rowsAsText = ({ columns, rows }: Rows): string[] =>
  textTable(
    columns.map((column) => (typeof column === 'string' ? column : column.name)),
    rows,
  )
