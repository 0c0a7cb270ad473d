// Goal: what the reference says of the API is what the API does, and its description for programs is true. Method: each example
// of the reference is sent, in order, to a station with the oracle's history; answers are held against both.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { z } from 'zod'
import type { TestStation } from '../../../test/station-fixture.ts'
import { oracleStation, v1 } from '../../../test/wiki/v1/v1-fixture.ts'

interface Example {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  payload: object | null
  status: number
  expected: unknown
}

type Json = Record<string, unknown>

const reference = readFileSync(
  new URL('../../../../../docs/reference/wiki-api.md', import.meta.url),
  'utf8',
)

const EXAMPLES: Example[] = [...reference.matchAll(/```http\n([\s\S]*?)```/g)].map(([, text]) => {
  const [asked, answer] = text!.split('\n\n')
  const [line, ...body] = asked!.split('\n')
  const [method, address] = line!.split(' ')
  const [status, ...expected] = answer!.split('\n')
  return {
    method: method as Example['method'],
    path: address!.replace('/api/v1', ''),
    payload: body.length === 0 ? null : (JSON.parse(body.join('\n')) as object),
    status: Number(status),
    expected: JSON.parse(expected.join('\n')),
  }
})

/** Whether all that is expected is there; lists may go on. */
function assertHolds(actual: unknown, expected: unknown, where: string): void {
  if (typeof expected !== 'object' || expected === null) {
    assert.deepEqual(actual, expected, where)
    return
  }
  for (const [name, value] of Object.entries(expected)) {
    assertHolds((actual as Json | null)?.[name], value, `${where}.${name}`)
  }
}

type Schema = Parameters<typeof z.fromJSONSchema>[0]

interface Operation {
  parameters: { name: string; in: string }[]
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

async function documentOf(station: TestStation): Promise<Document> {
  return (await v1(station, '/openapi.json')).body as Document
}

function operationOf({ paths }: Document, { method, path }: Example): [string, Operation] {
  const asked = `/api/v1${path.split('?')[0]}`
  const found = Object.entries(paths).find(
    ([template, methods]) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked) &&
      methods[method.toLowerCase()] !== undefined,
  )
  assert.ok(found, `${method} ${asked} is not described`)
  return [`${method} ${found[0]}`, found[1][method.toLowerCase()]!]
}

test('every example of the reference is answered as it says, and as the description says', async () => {
  const station = await oracleStation()
  const document = await documentOf(station)
  assert.ok(EXAMPLES.length >= 15)
  for (const example of EXAMPLES) {
    const { method, path, payload, status, expected } = example
    const said = await v1(station, path, { method, ...(payload === null ? {} : { payload }) })
    assert.equal(said.status, status, `${method} ${path}: ${said.text}`)
    assertHolds(said.body, expected, `${method} ${path}`)
    const [, operation] = operationOf(document, example)
    const described = operation.responses[status]!.content?.['application/json']?.schema
    if (described === undefined || status >= 400) continue
    const read = z.fromJSONSchema(described).safeParse(said.body)
    assert.equal(read.error?.message, undefined, `${method} ${path} is described otherwise`)
  }
})

test('every address has an example in the reference and its parameters in the description', async () => {
  const station = await oracleStation()
  const document = await documentOf(station)
  assert.equal(document.openapi, '3.1.0')
  const shown = new Set(EXAMPLES.map((example) => operationOf(document, example)[0]))
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.ok(all.length >= 15)
  const without = all.filter((one) => !shown.has(one) && !one.endsWith('/openapi.json'))
  assert.deepEqual(without, [])
  const named = ({ parameters }: Operation): string[] => parameters.map(({ name }) => name)
  const { paths } = document
  const ofRevisions = named(paths['/api/v1/revisions']!['get']!)
  for (const name of [
    'title',
    'sizematch',
    'datestart',
    'sort',
    'page_size',
    'cursor',
    'project',
  ]) {
    assert.ok(ofRevisions.includes(name), name)
  }
  assert.deepEqual(named(paths['/api/v1/status/{id}']!['get']!), ['id', 'name'])
})

test('the page for people names every address and runs nothing', async () => {
  const station = await oracleStation()
  const { paths } = await documentOf(station)
  for (const path of ['', '/']) {
    const { status, text, headers } = await v1(station, path)
    assert.equal(status, 200)
    for (const address of Object.keys(paths)) {
      const shown = address.replace('/api/v1', '').replaceAll(/\{(\w+)\}/g, ':$1')
      assert.ok(text.includes(`${shown}<`), shown)
    }
    assert.ok(!text.includes('<script'))
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  }
})
