/** Which query gets which parameter: `name` goes to every query that has it, `QUERY.name` to that one. */
import { BadQuery, type QueryRequest, type Query } from '@minga/lake'

type Given = Readonly<Record<string, string | number>>

export function parametersFor(queries: readonly Query[], given: Given): QueryRequest[] {
  const used = new Set<string>()
  const asked = queries.map((query) => {
    const parameters: Record<string, string | number> = {}
    for (const name of Object.keys(query.parameters ?? {})) {
      const own = `${query.name}.${name}`
      // The one that names the query is meant for it, also where both are given.
      for (const key of [name, own]) {
        if (!Object.hasOwn(given, key)) continue
        parameters[name] = given[key]!
        used.add(key)
      }
    }
    return { query, parameters }
  })
  const unused = Object.keys(given).find((name) => !used.has(name))
  if (unused === undefined) return asked
  const names = [...new Set(queries.flatMap((query) => Object.keys(query.parameters ?? {})))]
  throw new BadQuery(
    `No query has a parameter "${unused}"; ${names.length === 0 ? 'they have none' : `they have ${names.join(', ')}`}.`,
  )
}
