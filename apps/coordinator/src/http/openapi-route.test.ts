// Goal: the document of the API lists what a station serves, no more and no less. Method: the routes of an open station,
// as its server prints them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openStation } from '../../test/station-fixture.ts'

const file = new URL('../../openapi.json', import.meta.url)
const document = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> }
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

test('every address that a station serves below /api is in the document, and no other', async () => {
  const { app } = await openStation()
  const served = printedRoutes(app.printRoutes({ commonPrefix: false }))
    // The wikis' interface for other programs has a document of its own; the rest answers that there is nothing.
    .filter((route) => !/ \/api(?:\/?\*?|\/v1.*)$/.test(route) && route.includes(' /api/'))
    .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'))
  const written = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.ok(served.length > 200)
  assert.deepEqual(written.toSorted(), served.toSorted())
})

/** A tree whose branches are pieces of addresses, four characters to a level. */
function printedRoutes(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const found = /^(.*?)[├└]── (\S+)(?: \((.*)\))?$/.exec(line)
    if (found === null) return []
    const [, indent = '', piece = '', methods = ''] = found
    const depth = indent.length / 4
    above[depth] = piece
    const path = above.slice(0, depth + 1).join('')
    return METHODS.filter((method) => methods.split(', ').includes(method)).map(
      (method) => `${method} ${path}`,
    )
  })
}

test('anyone may read the document', async () => {
  const { app } = await openStation()
  const response = await app.inject({ url: '/api/openapi.json', headers: { host: 'localhost' } })
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), document)
})
