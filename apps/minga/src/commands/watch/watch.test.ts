// Goal: everything about watches can be done from the command line, with and without a station, and
// mistakes are reported. Method: the real command line as processes on a folder and against a station.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { ForecastView, TrailView, WatchDetail, WatchView } from '@minga/protocol'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { MINGA, runMinga, type Ended } from '../../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-watch-'))
const inFolder = (name: string): string => path.join(folder, name)
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const watch = (...args: string[]): Promise<Ended> => runMinga(['watch', ...args])

async function json<T>(...args: string[]): Promise<T> {
  const { out, err } = await watch(...args, '--json')
  assert.equal(err, '')
  return JSON.parse(out) as T
}

test('Lists, graphs, comparison, console: a folder is watched, changed by hand and undone without a station', async () => {
  const there = ['--data', inFolder('alone')]
  assert.equal((await watch('list', ...there)).code, 2)
  const page = await json<WatchDetail>('add', 'https://a.test/', '--category', '306', ...there)
  assert.deepEqual([page.subject, page.category, page.name], ['page', 306, 'a.test'])
  const id = String(page.id)
  await watch('set', id, '--period', '6h', '--policy', 'azar', ...there)
  // Another process, another day: what was set by hand is still so, and says by whom.
  const set = await json<WatchDetail & { trail: TrailView[] }>('show', id, ...there)
  assert.deepEqual([set.periodMs, set.policy], [21_600_000, 'azar'])
  assert.deepEqual(
    set.byHand.map(({ setting, by }) => [setting, by]),
    [
      ['periodMs', 'operator'],
      ['policy', 'operator'],
    ],
  )
  const undone = await json<WatchDetail>('undo', id, ...there)
  assert.deepEqual([undone.periodMs, undone.policy, undone.byHand], [null, null, []])
  assert.match(
    (await watch('forecast', ...there)).out,
    /^due now +1 +https:\/\/a\.test\/\n +`minga watch run` or `minga up` visits it/,
  )
})

test('what is watched by a station is listed, changed by hand, undone and removed', async () => {
  // To open a folder by itself takes a command several times as long.
  const { url, apiKey } = await sharedStation()
  const there = ['--station', url, '--key', apiKey]
  const page = await json<WatchDetail>('add', 'https://a.test/', '--category', '306', ...there)
  writeFileSync(inFolder('urls.txt'), '# ministries\nhttps://b.test/1\n\nhttps://b.test/2\n')
  const list = await json<WatchDetail>('add', '--file', inFolder('urls.txt'), ...there)
  assert.deepEqual([list.subject, list.urls], ['list', 2])

  const id = String(page.id)
  await watch('set', id, '--period', '6h', ...there)
  assert.match((await watch('list', ...there)).out, /\n1 +page +306 +6h \* /)
  const given = await json<WatchDetail>('set', id, '--period', 'auto', ...there)
  assert.equal(given.periodMs, null)
  await watch('undo', id, ...there)
  const undone = await json<WatchDetail>('undo', id, ...there)
  assert.deepEqual([undone.periodMs, undone.byHand], [null, []])
  assert.match((await watch('undo', id, ...there)).err, /MINGA_NOTHING_TO_UNDO/)
  assert.match((await watch('show', id, ...there)).out, /\[.*periodMs: null → 21600000.*undone by/)

  assert.equal((await json<WatchDetail>('pause', id, ...there)).isActive, false)
  const { watches } = await json<{ watches: WatchView[] }>('list', '--state', 'active', ...there)
  assert.deepEqual(
    watches.map((one) => one.id),
    [list.id],
  )
  assert.match((await watch('metrics', id, ...there)).out, /changes\/day +·{60} /)
  const { out: secret } = await watch('hook', id, ...there)
  assert.match(secret, /^minga_hook_[\w-]{43}\n$/)
  assert.match((await watch('hook', id, '--drop', ...there)).err, /is closed/)
  assert.match((await watch('notices', id, ...there)).out, /^SOURCE +NOTICES +TRUE +PRECISION\n$/)
  assert.match((await watch('categories', '--add', '315=parks', ...there)).out, /315 +0 +parks/)
  assert.match((await watch('list', '--by', 'category', ...there)).out, /306 .* news/)

  assert.match(
    (await watch('remove', id, '--with-captures', ...there)).err,
    /is removed; 0 captures/,
  )
  assert.match((await watch('show', id, ...there)).err, /MINGA_NO_SUCH_WATCH/)
})

test('mistakes at the command line end with a word about what was expected', async () => {
  const { url, apiKey } = await sharedStation()
  const there = ['--station', url, '--key', apiKey]
  const { id: known } = await json<WatchDetail>('add', 'https://m.test/', ...there)
  const id = String(known)
  const cases: [string[], number, RegExp][] = [
    [['add'], 2, /takes addresses/],
    [['add', 'http://127.0.0.1/'], 2, /--allow-private-addresses.*MINGA_WATCH_REFUSED/],
    [['add', 'notaurl'], 2, /watch add takes addresses such as/],
    [['add', ''], 2, /watch add takes addresses such as/],
    [['list', '--station', 'notaurl', '--key', 'k'], 2, /--station takes an address/],
    [['run', '999', '--data', inFolder('station')], 1, /MINGA_NO_SUCH_WATCH/],
    [['set', id], 2, /takes something to change/],
    [['set', id, '--period', '6'], 2, /as in 6h/],
    [['set', id, '--importance', '0'], 2, /--importance takes a number/],
    [['set', id, '--policy', 'guess'], 2, /no policy "guess"/],
    [['set', '999', '--period', '6h'], 1, /MINGA_NO_SUCH_WATCH/],
    [['noise', '999'], 1, /MINGA_NO_SUCH_WATCH/],
    [['noise', id, '--restore', 'x'], 2, /--restore takes/],
    [['noise', id, '--restore', '7'], 1, /MINGA_NO_SUCH_REGION/],
    [['import', inFolder('none.csv')], 2, /a file that can be read/],
    [['import', inFolder('none.doc')], 2, /opml, csv, json/],
    [['categories', '--add', 'parks'], 2, /CODE=NAME/],
    [['list', '--station', 'http://127.0.0.1:9'], 2, /--key/],
  ]
  for (const [args, code, message] of cases) {
    const isOwn = args.includes('--station') || args.includes('--data')
    const ended = await watch(...args, ...(isOwn ? [] : there))
    assert.equal(ended.code, code, args.join(' '))
    assert.match(ended.err, message)
  }
})

test('files of watches go from a folder to a station, and a bad line is reported by its number', async () => {
  const from = ['--data', inFolder('from')]
  await watch('add', 'https://a.test/', '--period', '1d', '--name', 'A', ...from)
  await watch('add', 'https://b.test/', '--feed', 'https://b.test/feed', '--name', 'B', ...from)
  const { url, apiKey } = await sharedStation()
  const to = ['--station', url, '--key', apiKey]
  for (const format of ['opml', 'csv', 'json']) {
    const file = inFolder(`watches.${format}`)
    // The first goes from the folder to the station; then the station has them, and knows its own again.
    const { out } = await watch('export', '--as', format, ...(format === 'opml' ? from : to))
    writeFileSync(file, out)
    const { added, skipped } = await json<{ added: number[]; skipped: number }>(
      'import',
      file,
      ...to,
    )
    if (format === 'opml') assert.equal(added.length + skipped, 2)
    else assert.deepEqual([added, skipped >= 2], [[], true])
  }
  assert.match((await watch('export', ...to)).out, /xmlUrl="https:\/\/b\.test\/feed"/)
  writeFileSync(inFolder('bad.csv'), 'url,importance\nhttps://c.test/,2\nhttps://d.test/,none\n')
  const { code, err } = await watch('import', inFolder('bad.csv'), ...to)
  assert.equal(code, 1)
  assert.match(err, /bad\.csv:3 importance: .*\(MINGA_BAD_WATCH_FILE\)/)
  assert.match(err, /1 watches added, 0 were there already, 1 problems/)
})

test('everything is visited once without a station, and what changed in between is counted', async () => {
  let text = 'The first text of the page.'
  const server = createServer((request, response) => {
    const isPage = request.url !== '/robots.txt'
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' })
    response.end(isPage ? `<title>A</title><p>${`${text} `.repeat(20)}</p>` : '')
  })
  after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const there = ['--data', inFolder('visits'), '--allow-private-addresses']
  await watch('add', page, '--period', '30d', '--delay', '0', ...there)
  const round = async (): Promise<unknown> => {
    const { out, err, code } = await watch('run', '--once', '--json', ...there)
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  assert.deepEqual(await round(), { visited: 1, changed: 0, unchanged: 1, noise: 0, failed: 0 })
  text = 'Something else altogether stands here now.'
  assert.deepEqual(await round(), { visited: 1, changed: 1, unchanged: 0, noise: 0, failed: 0 })
  const { out } = await watch('metrics', '1', '--data', inFolder('visits'))
  assert.match(out, /changes +1 caught in all, 1 since /)
  assert.match(out, /changes\/day +·{59}█/)
  assert.match(out, /Last visits:\n.* changed +manual +\d\.\d{3} +http/)
  assert.match(out, /feed checks +0 in all/)
  assert.match(out, /rate +learning, 2 of 3 visits /)
  const listed = await watch('list', '--data', inFolder('visits'))
  assert.match(listed.out, /FEED CHECKS +RATE .*\n1 .* 2 +1 +0 +learning, 2 of 3 visits /)
  // A second look at its noise may be under way; the reason of the next visit is reported anyway.
  const { visits } = await json<{ visits: ForecastView[] }>(
    'forecast',
    '--data',
    inFolder('visits'),
  )
  const planned = /^next visit .*: learning, 2 of 3 visits \(fixed:720\)$|^a visit is under way$/
  assert.match(visits[0]!.plan!.text, planned)
  const shown = await watch('forecast', '--data', inFolder('visits'))
  assert.doesNotMatch(shown.out, /is being visited/)
})

test('a round in which every visit failed ends with code 1, its cause and what helps', async () => {
  const server = createServer((request, response) => {
    const isRobots = request.url === '/robots.txt'
    response.writeHead(isRobots ? 200 : 500).end(isRobots ? 'User-agent: *\nDisallow: /' : '')
  })
  after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const there = ['--data', inFolder('failures'), '--allow-private-addresses']
  await watch('add', page, '--delay', '0', ...there)
  const { code, out, err } = await watch('run', '--once', '--json', ...there)
  assert.equal(code, 1, err)
  assert.deepEqual(JSON.parse(out), { visited: 1, changed: 0, unchanged: 0, noise: 0, failed: 1 })
  assert.match(
    err,
    /The only visit failed: robots\.txt forbids it \(http:.*\)\. Choose other pages/,
  )
})

interface StationFile {
  url: string
  apiKey: string
}

let station: Promise<StationFile> | undefined
const sharedStation = (): Promise<StationFile> => (station ??= startStation())

async function startStation(): Promise<StationFile> {
  const data = inFolder('station')
  await startProcess(process.execPath, [MINGA, 'up', '--no-agent', '--port', '0', '--data', data])
  const file = path.join(data, 'station.json')
  while (!existsSync(file)) await new Promise((wake) => setTimeout(wake, 50))
  return JSON.parse(readFileSync(file, 'utf8')) as StationFile
}
