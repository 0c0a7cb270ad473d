// Goal: the owner, and no foreign web page, reads and controls the agent; every mistake is answered
// with a code and a sentence. Method: the real server, raw requests, a fake agent.
import assert from 'node:assert/strict'
import { readFileSync, statSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { systemClock } from '@minga/protocol'
import type { AgentView } from '../control.ts'
import { PretendedAgent } from '../../../test/owner/local-page/control-fixture.ts'
import { readPageFile, type PageFile } from './page-file.ts'
import { openLocalPage, type LocalPage } from './page-server.ts'
import { TEXTS } from './texts.ts'

const data = mkdtempSync(join(tmpdir(), 'minga-page-'))
const agent = new PretendedAgent()
let page: LocalPage
let file: PageFile

before(async () => {
  page = await openLocalPage({ control: agent, clock: systemClock, data, port: 0 })
  file = (await readPageFile(data))!
})
after(async () => {
  await page.close()
  rmSync(data, { recursive: true, force: true })
})

interface Said {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

interface Question {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** Not fetch: it would not let us lie about Host and Origin. */
function ask(path: string, { method = 'GET', headers = {}, body }: Question = {}): Promise<Said> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${page.url}${path}`, { method, headers }, (response) => {
      const { statusCode: status = 0, headers: got } = response
      text(response).then((said) => resolve({ status, headers: got, body: said }), reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

function own(): Record<string, string> {
  return { 'x-minga-token': file.token }
}

function refusal(said: Said): string {
  const { code, message } = JSON.parse(said.body) as { code: string; message: string }
  assert.match(message, /^[A-Z].*\.$/)
  return `${said.status} ${code}`
}

test('the page comes with its parts and a policy that lets nothing in or out', async () => {
  const said = await ask('/')
  assert.equal(said.status, 200)
  assert.match(said.body, new RegExp(`content="${file.token}"`))
  assert.match(
    String(said.headers['content-security-policy']),
    /default-src 'none'.*frame-ancestors 'none'/,
  )
  assert.equal(said.headers['cache-control'], 'no-store')
  const parts = said.body.matchAll(/(?:src|href)="(\/[\w.-]+)"/g).map(([, path]) => path!)
  for (const path of parts) assert.equal((await ask(path)).status, 200, path)
  assert.doesNotMatch(said.body, /https?:\/\//)
})

test('every word that the page asks for exists in every language', async () => {
  const paths = ['/', '/now.js', '/page.js', '/activity.js', '/limits-form.js']
  const sources = await Promise.all(paths.map(async (path) => (await ask(path)).body))
  const asked = sources.flatMap((source) => [
    ...source.matchAll(/data-text="([^"]+)"|word\('([\w.]+)'|hint: '(\w+)'/g),
  ])
  assert.ok(asked.length > 50)
  for (const [, inHtml, inScript, hint] of asked) {
    const key = (inHtml ?? inScript ?? hint)!
    for (const texts of Object.values(TEXTS)) assert.ok(Object.hasOwn(texts, key), key)
  }
})

test('the token lies in a file that only its owner may read, until the page closes', async () => {
  const path = join(data, 'agent-page.json')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(file.pid, process.pid)
  assert.equal(file.url, page.url)
  assert.doesNotMatch(page.url, new RegExp(file.token))
  const other = await openLocalPage({ control: agent, clock: systemClock, data, port: 0 })
  const later = readFileSync(path, 'utf8')
  assert.doesNotMatch(later, new RegExp(file.token))
  await other.close()
  assert.equal(existsSync(path), false)
})

test('another name for this machine and other origins are refused, looking included', async () => {
  const foreign: Record<string, string>[] = [
    { host: 'evil.example' },
    { host: `evil.example:${new URL(page.url).port}` },
    { host: '127.0.0.1:1' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: page.url.replace('http:', 'https:') },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
  ]
  for (const headers of foreign) {
    for (const path of ['/', '/api/view', '/api/events', '/api/activity']) {
      const said = await ask(path, { headers })
      assert.equal(refusal(said), '403 MINGA_PAGE_FOREIGNER', JSON.stringify(headers))
    }
    const post = await ask('/api/pause', { method: 'POST', headers: { ...own(), ...headers } })
    assert.equal(refusal(post), '403 MINGA_PAGE_FOREIGNER', JSON.stringify(headers))
  }
  assert.deepEqual(agent.told, [])
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  assert.equal((await ask('/', { headers: link })).status, 200)
})

test('nothing changes without the token, and a token of another start is refused', async () => {
  const changes = [
    ['POST', '/api/pause'],
    ['POST', '/api/resume'],
    ['POST', '/api/finish'],
    ['POST', '/api/stop'],
    ['PATCH', '/api/limits'],
  ] as const
  for (const [method, path] of changes) {
    for (const headers of [{}, { 'x-minga-token': 'guessed' }]) {
      const said = await ask(path, { method, headers, body: '{}' })
      assert.equal(refusal(said), '401 MINGA_PAGE_TOKEN_REFUSED', path)
    }
  }
  const looking = await ask('/api/view', { headers: { 'x-minga-token': 'guessed' } })
  assert.equal(refusal(looking), '401 MINGA_PAGE_TOKEN_REFUSED')
  assert.deepEqual(agent.told, [])
})

test('levers reach the agent in the order in which they are pulled', async () => {
  for (const lever of ['pause', 'resume', 'finish', 'stop']) {
    const said = await ask(`/api/${lever}`, { method: 'POST', headers: own() })
    assert.equal(said.status, 200)
    const { condition } = JSON.parse(said.body) as AgentView
    assert.equal(condition, lever === 'pause' ? 'paused-by-owner' : 'working')
  }
  assert.deepEqual(agent.told, ['pause', 'resume', 'finish', 'stop'])
})

test('limits are changed one by one, and what the agent refuses is said in its words', async () => {
  const patch = (body: string): Promise<Said> =>
    ask('/api/limits', { method: 'PATCH', headers: own(), body })
  const said = await patch('{"hours":"22:00-06:30"}')
  assert.equal((JSON.parse(said.body) as { hours: string }).hours, '22:00-06:30')
  assert.equal(agent.view().limits.hours, '22:00-06:30')
  for (const body of ['', '[]', 'null', '{"x"', '{"requestsPerSecond":"many"}']) {
    assert.equal(refusal(await patch(body)), '400 MINGA_BAD_MESSAGE', body)
  }
  const huge = await patch(JSON.stringify({ hours: 'x'.repeat(100_000) }))
  assert.equal(refusal(huge), '400 MINGA_BAD_MESSAGE')
})

test('activity comes in pages, of one host when asked, and as a whole to keep', async () => {
  agent.lines = Array.from({ length: 1_234 }, (_, no) => {
    const url = `http://${no % 2 === 0 ? 'a' : 'b'}.test/${no}`
    return { no, at: no, url, status: 200, code: null, bytes: 10, ms: 5 }
  })
  const numbers = async (query: string): Promise<number[]> => {
    const { body } = await ask(`/api/activity${query}`)
    return (JSON.parse(body) as { no: number }[]).map(({ no }) => no)
  }
  assert.deepEqual(await numbers('?limit=2'), [1_233, 1_232])
  assert.deepEqual(await numbers('?limit=2&before=1232'), [1_231, 1_230])
  assert.deepEqual(await numbers('?limit=2&before=1232&host=A.test'), [1_230, 1_228])
  assert.equal((await numbers('?limit=99999')).length, 1_000)
  for (const query of ['?limit=-1', '?before=x', `?host=${'x'.repeat(300)}`]) {
    assert.equal(refusal(await ask(`/api/activity${query}`)), '400 MINGA_BAD_MESSAGE', query)
  }
  const { body, headers } = await ask('/api/activity.jsonl')
  const lines = body.trim().split('\n')
  assert.equal(lines.length, 1_234)
  assert.deepEqual(JSON.parse(lines.at(-1)!), agent.lines[0])
  assert.match(String(headers['content-disposition']), /attachment/)
})

test('events tell the view once a second at most and end with the page', async () => {
  const other = await openLocalPage({ control: agent, clock: systemClock, data, port: 0 })
  const response = await fetch(`${other.url}/api/events`)
  const startedMs = performance.now()
  let events = 0
  for await (const chunk of response.body!) {
    const told = new TextDecoder().decode(chunk)
    assert.match(told, /^data: \{.*"station":"https:\/\/station\.example".*\}\n\n$/)
    if (++events === 3) await other.close()
  }
  assert.equal(events, 3)
  assert.ok(performance.now() - startedMs >= 1_900)
})

test('what is not there is said to be not there', async () => {
  const paths = [
    '/page.html',
    '/api/nothing',
    '/../device.json',
    '/%2e%2e/device.json',
    '//',
    '/api',
  ]
  for (const path of paths) {
    assert.equal(refusal(await ask(path)), '404 MINGA_PAGE_NOT_THERE', path)
  }
  const said = await ask('/api/view', { method: 'DELETE', headers: own() })
  assert.equal(refusal(said), '404 MINGA_PAGE_NOT_THERE')
})

test('a port that is taken gives way to the next', async () => {
  const port = Number(new URL(page.url).port)
  const other = await openLocalPage({ control: agent, clock: systemClock, data, port })
  assert.notEqual(other.url, page.url)
  await other.close()
})
