// Goal: the page is served safely and a missing build says so; a foreign site cannot reach the station through
// a browser. Method: requests into a server whose folder is a map in memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFileSync } from 'node:fs'
import type { ReplayOrigin } from '@minga/protocol'
import Fastify from 'fastify'
import { openStation } from '../../test/station-fixture.ts'
import { guardBrowsers } from './browser-guard.ts'
import { dashboardFiles } from './dashboard-files.ts'

function server(files: Record<string, string>, origin: ReplayOrigin = { url: null, port: null }) {
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) => {
    const isRefused = (error as { code?: string }).code === 'MINGA_NOT_ALLOWED'
    void reply.status(isRefused ? 401 : 500).send(String(error))
  })
  guardBrowsers(app, new Set(['127.0.0.1', 'localhost']))
  app.get('/api/collections', () => [])
  const folder = {
    path: 'dist',
    list: async () => Object.keys(files),
    read: async (path: string) => Buffer.from(files[path.replace(/^dist\//, '')]!),
  }
  dashboardFiles(app, folder, () => origin)
  return async (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { host: '127.0.0.1:7700', ...headers } })
}

const BUILT = { 'index.html': '<!doctype html>', 'assets/index-1a2b.js': '1', 'icon.svg': '<svg/>' }

test('index.html is always requested again and assets are kept for ever', async () => {
  const ask = server(BUILT)
  const page = await ask('/')
  assert.equal(page.statusCode, 200)
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(page.headers['cache-control'], 'no-cache')
  const asset = await ask('/assets/index-1a2b.js')
  assert.equal(asset.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.match(String(asset.headers['cache-control']), /immutable/)
})

test('the policy lets nothing in or out but the station itself', async () => {
  const policy = String((await server(BUILT)('/')).headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
})

test('archived pages are framed from their own origins and from nowhere else', async () => {
  const policyOf = async (origin: ReplayOrigin, host = 'localhost:7700'): Promise<string> =>
    String((await server(BUILT, origin)('/', { host })).headers['content-security-policy'])
  assert.match(await policyOf({ url: null, port: null }), /frame-src 'none'$/)
  assert.match(
    await policyOf({ url: null, port: 7701 }),
    /frame-src http:\/\/\*\.minga\.localhost:7701$/,
  )
  const named = await policyOf({ url: 'https://*.replay.example', port: 7701 })
  assert.match(named, /frame-src https:\/\/\*\.replay\.example$/)
})

test('addresses inside the page get the page, lost files do not', async () => {
  const ask = server(BUILT)
  assert.equal((await ask('/collections/3')).body, '<!doctype html>')
  assert.equal((await ask('/wikis/en.wikipedia.org')).body, '<!doctype html>')
  assert.equal((await ask('/assets/gone.js')).statusCode, 404)
})

test('no path leads out of the folder', async () => {
  const ask = server({ ...BUILT, '../secret.json': 'secret' })
  for (const path of [
    '/../station.json',
    '/..%2fstation.json',
    '/%2e%2e/station.json',
    '/assets/../../x.json',
  ]) {
    const { statusCode, body } = await ask(path)
    assert.equal(statusCode, 404, path)
    assert.doesNotMatch(body, /secret/)
  }
})

test('a page that was not built is a clear text', async () => {
  const answer = await server({})('/')
  assert.equal(answer.statusCode, 503)
  assert.match(answer.body, /npm run build:page/)
  assert.match(String(answer.headers['content-type']), /^text\/plain/)
})

test('a foreign Host or Origin is refused, for the page and for the API', async () => {
  const ask = server(BUILT)
  for (const path of ['/', '/api/collections']) {
    assert.equal((await ask(path, { host: 'rebound.example:7700' })).statusCode, 401)
    assert.equal((await ask(path, { origin: 'https://evil.example' })).statusCode, 401)
    assert.equal((await ask(path, { origin: 'null' })).statusCode, 401)
    assert.equal((await ask(path, { origin: 'http://127.0.0.1:7700' })).statusCode, 200)
    assert.equal((await ask(path, { host: 'localhost:7700' })).statusCode, 200)
  }
})

// Goal: the document of the API lists what a station serves, no more and no less. Method: the routes of an open station,
// as its server prints them.

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
