// Goal: what is written of the API is what its sources say, today. Method: everything is made again and compared.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { apiFiles } from './api-files.ts'
import type { Answer, OpenApiDocument, Schema } from './document.ts'
import { makeDocument, ROOT } from './make-document.ts'

const document = makeDocument()

test('the files made from the API are those that would be made now: npm run build:api', () => {
  for (const [file, text] of Object.entries(apiFiles(document))) {
    assert.ok(readFileSync(join(ROOT, file), 'utf8') === text, `${file} is out of date`)
  }
})

test('names of operations are unique and every reference leads somewhere', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const names = operations.map(({ operationId }) => operationId)
  assert.equal(new Set(names).size, names.length)
  const references = referencesIn(document)
  assert.ok(references.length > 100)
  for (const reference of references) {
    const [, , kind, name] = reference.split('/') as [
      string,
      string,
      'schemas' | 'responses',
      string,
    ]
    assert.ok(document.components[kind][name] !== undefined, reference)
  }
})

test('answers are documented with their shapes', () => {
  const open = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => {
      const [answer] = Object.values(responses).filter((one) => 'content' in one)
      const isShapeless = answer?.description === 'Done.' && '*/*' in answer.content
      return isShapeless ? [`${method} ${path}`] : []
    }),
  )
  // One answers with whatever was captured.
  assert.deepEqual(open, ['post /api/requests'])
})

test('a field that may be null, absent or one of some words is written as such', () => {
  const watch = document.components.schemas['CollectionStatus'] as Schema
  assert.equal(watch.type, 'object')
  assert.ok(watch.required?.includes('id'))
  assert.deepEqual(watch.properties?.['id'], { type: 'number' })
  const list = parametersOf(document, '/api/queries')
  assert.deepEqual(list['state'], { enum: ['abandoned', 'cancelled', 'done', 'failed', 'running'] })
})

test('parameters that come from tables of fields are documented by name, and measures with their shapes', () => {
  const pages = parametersOf(document, '/api/wikis/{wiki}/pages')
  assert.deepEqual(pages['match'], { enum: ['part', 'prefix'] })
  for (const name of ['search', 'sort', 'cursor', 'page_size', 'title', 'revisions', 'lastAt']) {
    assert.ok(name in pages, name)
  }
  const revisions = parametersOf(document, '/api/wikis/{wiki}/revisions')
  for (const name of ['pageId', 'user', 'from', 'until', 'isMinor', 'tags']) {
    assert.ok(name in revisions, name)
  }
  const metrics = parametersOf(document, '/api/wikis/{wiki}/metrics')
  for (const name of ['only', 'as', 'title', 'datestart', 'tag']) assert.ok(name in metrics, name)
  const told = document.paths['/api/wikis/{wiki}/metrics']!['get']!.responses['200'] as Answer
  const { properties, required } = told.content['application/json']!.schema
  assert.deepEqual(required?.toSorted(), ['revisions', 'wiki'])
  for (const name of ['editors', 'months', 'reverts', 'wars']) {
    assert.ok(Object.keys(properties?.[name] ?? {}).length > 0, name)
  }
})

function parametersOf({ paths }: OpenApiDocument, path: string): Record<string, Schema> {
  const { parameters } = paths[path]!['get']!
  return Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' ? [String(inner)] : referencesIn(inner),
  )
}
