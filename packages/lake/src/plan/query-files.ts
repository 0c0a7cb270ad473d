/**
 * Queries that come as files: every module of a folder that exports one. A new file needs no entry
 * in a list.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BadQuery } from '../errors.ts'
import type { Query } from '../model.ts'
import { checkQuery } from './check-query.ts'

const SHIPPED = fileURLToPath(new URL('../queries', import.meta.url))

export const shippedQueries = (): Promise<Map<string, Query>> => readQueries(SHIPPED)

/** By name, in the order of names. A file's name is that of its query. */
export async function readQueries(folder: string): Promise<Map<string, Query>> {
  const names = (await readdir(folder)).filter(
    (name) => /\.(ts|js|mjs)$/u.test(name) && !/\.test\.|\.d\.ts$/u.test(name),
  )
  const queries = new Map<string, Query>()
  for (const name of names.toSorted()) {
    const query = await readQuery(join(folder, name))
    if (query.name !== name.replace(/\.\w+$/u, '')) {
      throw new BadQuery(`${name} holds the query "${query.name}"; give both the same name.`)
    }
    queries.set(query.name, query)
  }
  return queries
}

async function readQuery(file: string): Promise<Query> {
  const module = (await import(pathToFileURL(file).href)) as { query?: unknown }
  if (module.query === undefined) {
    throw new BadQuery(`${file} exports no query: write "export const query = defineQuery({…})".`)
  }
  return checkQuery(module.query)
}
