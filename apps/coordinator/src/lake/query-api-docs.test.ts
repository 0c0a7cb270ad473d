// Goal: the page of the API of queries, tables and SQL names every call there is and no other. Method: the routes are
// registered on an empty server and compared with the calls that the page names.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import Fastify from 'fastify'
import { queryRoutes, sqlRoutes } from './queries/query-routes.ts'
import { savedRoutes } from './queries/saved-routes.ts'
import { tableRoutes } from './tables/table-routes.ts'
import { taskRoutes } from './workers/worker-routes.ts'
import { uploadRoutes } from './uploads/upload-routes.ts'

test('the page of queries over HTTP names every call, and each of them is there', async () => {
  const app = Fastify({ exposeHeadRoutes: false })
  const calls: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) calls.push(`${one} /api${url}`)
  })
  const all = [queryRoutes, uploadRoutes, tableRoutes, sqlRoutes, taskRoutes, savedRoutes]
  for (const routes of all) routes(app, {} as never)
  const page = new URL('../../../../docs/reference/query-api.md', import.meta.url)
  const text = await readFile(page, 'utf8')
  const named = text.match(/`(GET|HEAD|POST|PUT|PATCH|DELETE) \/api[^`?\s]+`/g) ?? []
  assert.deepEqual(
    [...new Set(named.map((call) => call.slice(1, -1)))].toSorted(),
    calls.toSorted(),
  )
})
