/** What queries there are, and how those that were asked are doing. */
import type { Query } from '@minga/lake'
import type { QueryView } from '@minga/protocol'
import { BadOption } from '../../../errors.ts'
import { EXIT } from '../../../exit-codes.ts'
import { askLake, printFacts } from '../answers.ts'
import type { QueryOptions, StatusOptions } from './query.ts'

/** With the station that was named, else with this program: that needs neither a station nor a folder of data. */
async function shippedWith(options: QueryOptions): Promise<Query[]> {
  if (options.station !== undefined) {
    return askLake(options, ({ api }) => api.get<Query[]>('/queries/shipped'))
  }
  const { shippedQueries } = await import('@minga/lake/query-files')
  return [...(await shippedQueries()).values()]
}

export async function listQueries(options: QueryOptions): Promise<number> {
  const shipped = await shippedWith(options)
  const width = Math.max(...shipped.map(({ name }) => name.length))
  const lines = shipped.map(({ name, about }) => `${name.padEnd(width)}  ${about}`)
  printFacts(options, { queries: shipped }, lines)
  return EXIT.ok
}

export async function showQuery(name: string, options: QueryOptions): Promise<number> {
  const shipped = await shippedWith(options)
  const query = shipped.find((one) => one.name === name)
  if (query === undefined) {
    const names = shipped.map((one) => one.name).join(', ')
    throw new BadOption('query show', `one of ${names}`, name)
  }
  const parameters = Object.entries(query.parameters ?? {})
  printFacts(options, query, [
    `${query.name}: ${query.about}`,
    `  inputs      ${Object.keys(query.inputs).join(', ')}`,
    `  columns     ${query.output.columns.join(', ')}`,
    ...parameters.map(([key, { default: given, about }]) => `  --param ${key}=${given}  ${about}`),
  ])
  return EXIT.ok
}

export async function showStatus(id: string | undefined, options: StatusOptions): Promise<number> {
  const { state } = options
  if (id !== undefined && state !== undefined) {
    throw new BadOption('--state', 'no id with it', id)
  }
  const path = id === undefined ? '/queries' : `/queries/${id}`
  const chosen = state === undefined ? path : `${path}?state=${state}`
  const found = await askLake(options, ({ api }) => api.get<QueryView | QueryView[]>(chosen))
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
