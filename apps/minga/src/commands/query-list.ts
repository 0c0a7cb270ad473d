/** What queries there are, and how those that were asked are doing. */
import type { QueryView } from '@minga/protocol'
import { BadOption } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { askLake, printFacts } from './lake-answers.ts'
import type { QueryOptions } from './query.ts'

interface Shipped {
  name: string
  about: string
  inputs: Record<string, unknown>
  parameters: Record<string, { default: string | number; about: string }>
  columns: string[]
}

export async function listQueries(options: QueryOptions): Promise<number> {
  const shipped = await askLake(options, ({ api }) => api.get<Shipped[]>('/queries/shipped'))
  const width = Math.max(...shipped.map(({ name }) => name.length))
  const lines = shipped.map(({ name, about }) => `${name.padEnd(width)}  ${about}`)
  printFacts(options, { queries: shipped }, lines)
  return EXIT.ok
}

export async function showQuery(name: string, options: QueryOptions): Promise<number> {
  const shipped = await askLake(options, ({ api }) => api.get<Shipped[]>('/queries/shipped'))
  const query = shipped.find((one) => one.name === name)
  if (query === undefined) {
    const names = shipped.map((one) => one.name).join(', ')
    throw new BadOption('query show', `one of ${names}`, name)
  }
  const parameters = Object.entries(query.parameters)
  printFacts(options, query, [
    `${query.name}: ${query.about}`,
    `  inputs      ${Object.keys(query.inputs).join(', ')}`,
    `  columns     ${query.columns.join(', ')}`,
    ...parameters.map(([key, { default: given, about }]) => `  --param ${key}=${given}  ${about}`),
  ])
  return EXIT.ok
}

export async function showStatus(id: string | undefined, options: QueryOptions): Promise<number> {
  const path = id === undefined ? '/queries' : `/queries/${id}`
  const found = await askLake(options, ({ api }) => api.get<QueryView | QueryView[]>(path))
  const views = Array.isArray(found) ? found : [found]
  printFacts(options, Array.isArray(found) ? { queries: found } : found, views.flatMap(linesOf))
  return EXIT.ok
}

export async function cancelQuery(id: string, options: QueryOptions): Promise<number> {
  const view = await askLake(options, ({ api }) => api.post<QueryView>(`/queries/${id}/cancel`, {}))
  printFacts(options, view, linesOf(view))
  return EXIT.ok
}

function linesOf({ id, state, queries, tasks, askedAt, error }: QueryView): string[] {
  const begun = new Date(askedAt).toISOString()
  const line = `${id}  ${begun}  ${state.padEnd(9)}  ${tasks.done}/${tasks.total} tasks  ${queries.join(' ')}`
  return error === null ? [line] : [line, `  ${error.message} (${error.code})`]
}
