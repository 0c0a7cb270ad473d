// Goal: what browsers show of odd servers is captured, once, under the address that was requested. Method: one crawl of
// a raw socket that bends HTTP, judged by the requests it received and by the archive.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { listCaptures, mingaOutput, type ListedCapture } from './run-minga.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n'
const page = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const moved = (to: string): string =>
  `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`

/** Latin-1, byte by byte. */
const ANSWERS: Record<string, string> = {
  '/999': 'HTTP/1.1 999 Request denied\r\nContent-Length: 3\r\n\r\n999',
  '/twice': `${OK}Content-Length: 5\r\nContent-Length: 5\r\n\r\ntwice`,
  '/feed': 'HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 4\n\nfeed',
  '/continue': `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 8\r\n\r\ncontinue`,
  '/utf8': moved(Buffer.from('/é').toString('latin1')),
  '/latin1': moved('/\u00E9'),
  '/refresh': `${OK}Refresh: 0; url=/refreshed\r\nContent-Length: 7\r\n\r\nrefresh`,
  '/q?': `${OK}Content-Length: 2\r\n\r\nq?`,
  '/many': page(
    Array.from({ length: 10_003 }, (_, i) => `<a href="mailto:${i}"><a href="//x${i}.test">`).join(
      '',
    ),
  ),
}
const LINKED = Object.keys(ANSWERS)
const REACHED = [...LINKED, '/%C3%A9', '/%E9', '/refreshed']

const data = mkdtempSync(join(tmpdir(), 'minga-odd-'))
const asked: string[] = []
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (bytes: Buffer) => {
    const path = bytes.toString('latin1').split(' ')[1]!
    asked.push(path)
    const root = page(LINKED.map((to) => `<a href="${to}">`).join(''))
    const other = `${OK}Content-Length: ${path.length}\r\n\r\n${path}`
    const none = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'
    const answer = path === '/' ? root : path === '/robots.txt' ? none : (ANSWERS[path] ?? other)
    socket.write(answer, 'latin1')
  })
})
after(() => {
  server.close()
  rmSync(data, { recursive: true })
})

let origin = ''
let totals: Record<string, number>
let captures: Map<string, ListedCapture>
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const args = ['crawl', `${origin}/`, '--delay', '0', '--json', '--allow-private-addresses']
  totals = JSON.parse(await mingaOutput(...args, '--data', data)) as Record<string, number>
  const rows = await listCaptures(data)
  captures = new Map(rows.map((row) => [row.url.slice(origin.length), row]))
})

test('each address is requested once, where a browser would go', () => {
  assert.deepEqual(asked.toSorted(), ['/', '/robots.txt', ...REACHED].toSorted())
})

test('everything is captured under the address that was requested, and nothing failed', () => {
  assert.deepEqual([...captures.keys()].toSorted(), ['/', '/robots.txt', ...REACHED].toSorted())
  assert.equal(captures.get('/999')?.status, 999)
  assert.equal(totals['failed'], 0)
})

test('bodies are those that the server sent', async () => {
  const get = (path: string, ...more: string[]): Promise<string> =>
    mingaOutput('archive', 'get', `${origin}${path}`, ...more, '--data', data)
  const bodies = await Promise.all(['/twice', '/feed', '/continue', '/q?'].map((path) => get(path)))
  assert.deepEqual(bodies, ['twice', 'feed', 'continue', 'q?'])
})

test('links beyond the limit of a page are counted', () => {
  assert.equal(totals['linksDropped'], 3)
})
