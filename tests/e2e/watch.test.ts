// Goal: watching as its users meet it: what is added is visited, what changed is reported and explained,
// what did not costs no body, and mistakes end with a word. Method: the real command line as processes
// on a web whose pages change between rounds; the archive is read by warcio.
import assert from 'node:assert/strict'
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { ForecastView, VersionView, WatchDetail } from '@minga/protocol'
import { endAllProcesses, startProcess, type Child } from '@minga/testkit'
import { WARCParser } from 'warcio'
import { startChangingWeb, type ChangingWeb, type Shown } from '../changing-web.ts'
import { listCaptures, MINGA, mingaOutput, runMinga } from './run-minga.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-watch-'))
const pages = new Map<string, Shown>()
let web: ChangingWeb

before(async () => {
  web = await startChangingWeb((host, path) => pages.get(`${host}${path}`))
})
after(async () => {
  await endAllProcesses()
  await web.close()
  rmSync(folder, { recursive: true, force: true })
})

const addressOf = (host: string, path = '/'): string => `http://${host}:${web.port}${path}`

/** A notice board that shows this text, under a tag of its own. */
function show(place: string, text: string, links: readonly string[] = []): void {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')
  const body = `<title>Notices</title><h1>Notices</h1>
    <p>The town office is open on weekdays and answers letters within a week of their arrival.</p>
    <p>${text}</p><ul>${list}</ul>`
  pages.set(place, { body, etag: `"${text.length}-${links.length}"` })
}

const ROOF = 'The roof of the school is finished, and classes begin on Monday.'
const FIRE =
  'The roof burned down last night; nobody was hurt, and the opening is put off by a year.'

interface Counts {
  visited: number
  changed: number
  unchanged: number
  noise: number
  failed: number
}

const counts = (changed: number, unchanged: number, failed = 0): Counts => ({
  visited: changed + unchanged + failed,
  changed,
  unchanged,
  noise: 0,
  failed,
})

/** One folder and everything that is done with it. */
function watchesIn(name: string) {
  const data = join(folder, name)
  const there = ['--data', data]
  const json = async <T>(...args: string[]): Promise<T> =>
    JSON.parse(await mingaOutput('watch', ...args, '--json', ...there)) as T
  const forecast = (...ids: string[]): Promise<{ visits: ForecastView[] }> =>
    json('forecast', ...ids)
  /** A change requests a double fetch; nothing is planned until that has ended. */
  const plannedVisits = async (id: string): Promise<ForecastView[]> => {
    const isOut = ({ plan }: ForecastView): boolean => plan?.text === 'a visit is under way'
    let { visits } = await forecast(id)
    for (let tries = 0; tries < 50 && visits.some(isOut); tries++)
      visits = (await forecast(id)).visits
    return visits
  }
  return {
    data,
    json,
    forecast,
    plannedVisits,
    said: (...args: string[]) => runMinga('watch', ...args, ...there),
    add: (...args: string[]) =>
      json<WatchDetail>('add', ...args, '--delay', '0', '--allow-private-addresses'),
    round: (...ids: string[]) => json<Counts>('run', ...ids, '--once', '--allow-private-addresses'),
  }
}

/** What stands in the archive of an address, as another tool reads it. */
async function recordsOf(data: string, url: string): Promise<{ type: string; bytes: number }[]> {
  const archive = join(data, 'archive')
  const records: { type: string; bytes: number }[] = []
  for (const name of readdirSync(archive).filter((file) => file.endsWith('.warc.gz'))) {
    for await (const record of new WARCParser(createReadStream(join(archive, name)))) {
      const body = await record.readFully(false)
      const type = record.warcType ?? ''
      if (record.warcTargetURI !== url || (type !== 'response' && type !== 'revisit')) continue
      if (type === 'revisit') assert.ok(record.warcHeader('WARC-Refers-To-Target-URI'))
      records.push({ type, bytes: body.length })
    }
  }
  return records
}

async function startUp(data: string): Promise<Child> {
  const own = ['--workers', '0', '--port', '0', '--data', data]
  const args = [MINGA, 'up', ...own, '--allow-private-addresses']
  const station = await startProcess(process.execPath, args)
  await station.waitOutput(/Minga is up/, 60_000)
  return station
}

async function stop(station: Child): Promise<void> {
  station.signal('SIGINT')
  await station.waitExit(30_000)
}

// Each has a folder and a host of its own, and starts programs that mostly wait for each other.
describe('watching by the command line', { concurrency: 4 }, () => {
  test('without a station: a page is visited, reported as changed once, and costs no body while it is the same', async () => {
    const on = watchesIn('alone')
    const place = '127.0.62.1/'
    const url = addressOf('127.0.62.1')
    show(place, ROOF)
    const { id } = await on.add(url)
    assert.deepEqual(await on.round(), counts(0, 1))
    show(place, FIRE)
    assert.deepEqual(await on.round(), counts(1, 0))
    assert.deepEqual(await on.round(String(id)), counts(0, 1))

    const records = await recordsOf(on.data, url)
    assert.deepEqual(
      records.map(({ type }) => type),
      ['response', 'response', 'revisit'],
    )
    assert.equal(records[2]!.bytes, 0, 'a revisit record repeats no body')
    assert.deepEqual(
      web.hits().flatMap((hit) => (hit.url === url ? [hit.status] : [])),
      [200, 200, 304],
    )
    await mingaOutput('archive', 'verify', '--data', on.data)

    const captures = await listCaptures(on.data, url)
    const [first, last] = [captures[0]!.timestamp, captures.at(-1)!.timestamp]
    const between = ['archive', 'diff', url, first, last, '--json', '--data', on.data]
    const diff = JSON.parse(await mingaOutput(...between)) as Record<string, number | boolean>
    assert.equal(diff['changed'], true)
    assert.ok(Number(diff['content']) > 0.05 && Number(diff['content']) <= 1)
    for (const figure of ['visual', 'structural']) {
      assert.ok(Number(diff[figure]) >= 0 && Number(diff[figure]) <= 1, figure)
    }
  })

  test('with a station that serves the folder: rounds are its work, and forecasts explain themselves', async () => {
    const on = watchesIn('served')
    const station = await startUp(on.data)
    const urls = ['/1', '/2', '/3'].map((path) => addressOf('127.0.62.2', path))
    for (const path of ['/1', '/2', '/3']) show(`127.0.62.2${path}`, ROOF)
    const { id, subject } = await on.add(...urls)
    assert.equal(subject, 'list')
    assert.deepEqual(await on.round(), counts(0, 3))
    show('127.0.62.2/2', FIRE)
    pages.delete('127.0.62.2/3')
    assert.deepEqual(await on.round(), counts(1, 1, 1))
    // A rate is shown from the third visit on, and the station's first one may have been that of the first round.
    assert.deepEqual(await on.round(), counts(0, 2, 1))

    const visits = await on.plannedVisits(String(id))
    assert.equal(visits.length, 3)
    const of = (path: string): ForecastView => visits.find(({ url }) => url.endsWith(path))!
    assert.match(of('/2').plan!.text, /^next visit \w{3} .*changed by then.*rate [\d.]+\/day \[/)
    assert.equal(of('/2').changes, 1)
    assert.ok(of('/1').nextVisitAt! > Date.now())

    const set = await on.json<WatchDetail>('set', String(id), '--period', '6h')
    assert.deepEqual([set.periodMs, set.byHand.length], [6 * 3_600_000, 1])
    const fixed = (await on.forecast(String(id))).visits.find(({ url }) => url.endsWith('/1'))!
    assert.match(fixed.plan!.text, /fixed:6/)
    assert.equal((await on.json<WatchDetail>('undo', String(id))).periodMs, null)

    assert.equal((await on.json<WatchDetail>('pause', String(id))).isActive, false)
    assert.deepEqual(await on.round(), counts(0, 0), 'a paused watch is not visited')
    await stop(station)

    const kept = await listCaptures(on.data)
    assert.ok(kept.length >= 7)
    const gone = await on.json<{ kept: number; removed: number }>('remove', String(id))
    assert.deepEqual([gone.kept, gone.removed], [kept.length, 0])
    assert.equal((await listCaptures(on.data)).length, kept.length, 'its captures stay')
    assert.deepEqual(await on.json('list'), { watches: [] })
  })

  test('a site is harvested when it is new and when it changed; each harvest is a version', async () => {
    const on = watchesIn('site')
    const station = await startUp(on.data)
    const links = ['/a', '/b', '/c']
    show('127.0.62.3/', ROOF, links)
    for (const link of links) show(`127.0.62.3${link}`, `${ROOF} It is ${link}.`)
    const { id } = await on.add(addressOf('127.0.62.3'), '--site', '--max-pages', '50')
    assert.deepEqual(await on.round(), counts(0, 1))
    const versions = async (): Promise<VersionView[]> => {
      const file = readFileSync(join(on.data, 'station.json'), 'utf8')
      const { url } = JSON.parse(file) as { url: string }
      const response = await fetch(`${url}/api/watches/${id}/versions`)
      return (await response.json()) as VersionView[]
    }
    const told = (all: VersionView[]): unknown =>
      all.map(({ number, state, documents }) => [number, state, documents])
    assert.deepEqual(told(await versions()), [[1, 'complete', 4]])
    show('127.0.62.3/', FIRE, [...links, '/d'])
    show('127.0.62.3/d', `${ROOF} It is new.`)
    assert.deepEqual(await on.round(), counts(1, 0))
    assert.deepEqual(told(await versions()), [
      [2, 'complete', 5],
      [1, 'complete', 4],
    ])
    assert.deepEqual(await on.round(), counts(0, 1))
    assert.equal((await versions()).length, 2, 'an unchanged site is not harvested')
    await stop(station)
  })

  test('wrong input ends with its exit code and a word about what is right, and changes nothing', async () => {
    const on = watchesIn('wrong')
    const url = addressOf('127.0.62.4')
    show('127.0.62.4/', ROOF)
    await on.add(url)
    const cases: [args: string[], code: number, message: RegExp][] = [
      [['run', '77', '--once', '--allow-private-addresses'], 1, /MINGA_NO_SUCH_WATCH/],
      [['run', 'seven', '--once'], 2, /the number of a watch takes .*seven/],
      [['forecast', '77'], 1, /MINGA_NO_SUCH_WATCH/],
      [['remove', '77'], 1, /MINGA_NO_SUCH_WATCH/],
      [['set', '1', '--exclude-selector', 'div['], 2, /"div\[" is invalid/],
      [['set', '1', '--policy', 'fixed:0'], 2, /no policy "fixed:0"/],
      [['add', 'ftp://a.test/'], 2, /addresses such as .*ftp:/],
    ]
    const judge = async ([args, code, message]: (typeof cases)[number]): Promise<string[]> => {
      const ended = await on.said(...args)
      const told = `watch ${args.join(' ')} → ${ended.code} ${ended.stderr.trim()}`
      assert.equal(ended.stdout.toString(), '', told)
      return ended.code === code && message.test(ended.stderr) ? [] : [told]
    }
    // One asks the folder itself, which serves one program at a time; a station is asked all at once.
    const wrong = await judge(cases[0]!)
    const station = await startUp(on.data)
    wrong.push(...(await Promise.all(cases.map(judge))).flat())
    assert.deepEqual(wrong, [])
    const missing = await runMinga('watch', 'list', '--data', join(folder, 'nowhere'))
    assert.equal(missing.code, 2)
    assert.ok(!existsSync(join(folder, 'nowhere')))
    const { watches } = await on.json<{ watches: WatchDetail[] }>('list')
    assert.deepEqual(
      watches.map(({ id, policy, periodMs }) => [id, policy, periodMs]),
      [[1, null, null]],
    )
    await stop(station)
  })
})
