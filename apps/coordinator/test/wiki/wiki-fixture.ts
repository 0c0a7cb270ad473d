/** A whole station on virtual time whose agent asks a real server on this machine. */
import type { Block, WikiTaskView } from '@minga/protocol'
import type { Parcel } from '../../../agent/src/record/outbox.ts'
import {
  leasedRequestsOf,
  openStation,
  TOKENS,
  type Page,
  type Said,
  type StationChanges,
  type TestStation,
} from '../station-fixture.ts'

export async function openWikiStation(changes: StationChanges = {}): Promise<TestStation> {
  const station = await openStation({
    allowPrivateAddresses: true,
    addressesOf: () => ['127.0.0.1'],
    ...changes,
  })
  await station.hello()
  return station
}

/** Every request of a block, asked for now. */
export async function fetchBlock(station: TestStation, block: Block): Promise<Parcel[]> {
  const parcels: Parcel[] = []
  for (const leased of leasedRequestsOf(block)) {
    parcels.push(station.record(leased, await pageAt(leased.request.url)))
  }
  return parcels
}

async function pageAt(url: string): Promise<Page> {
  const headers = { 'accept-encoding': 'identity' }
  const response = await fetch(url, { redirect: 'manual', headers })
  const kept = [...response.headers].filter(([name]) => KEPT.has(name))
  return {
    status: response.status,
    body: Buffer.from(await response.arrayBuffer()),
    type: response.headers.get('content-type') ?? '',
    headers: kept,
  }
}

const KEPT = new Set(['location', 'retry-after', 'last-modified', 'mediawiki-api-error'])

/** The next block, if one comes within some seconds of virtual time. */
export async function nextBlock(station: TestStation): Promise<Block | null> {
  await station.agent('beat', { progress: station.clock.now(), fences: [] })
  const { block } = await station.device.ask(station.clock)
  if (block !== undefined) return block
  // A slow database let virtual time run away: the agent counts as silent.
  await station.hello()
  return (await station.device.ask(station.clock)).block
}

/** Time passes; the agent was not heard in the meantime and says hello again. */
export async function pass(station: TestStation, ms: number): Promise<void> {
  await station.clock.advance(ms)
  await station.tick()
  await station.hello()
}

/** Works until nothing is left to fetch; answers what was asked for. */
export async function workOff(station: TestStation): Promise<string[]> {
  const asked: string[] = []
  for (;;) {
    await station.tick()
    // With a slow database a request may be over before the queue was checked: only the second null
    // counts.
    const block = (await nextBlock(station)) ?? (await nextBlock(station))
    if (block === null) return asked
    asked.push(...leasedRequestsOf(block).map(({ request }) => request.url))
    await station.send(await fetchBlock(station, block))
  }
}

/** What belongs to a closed wiki is not for callers without a log-in. */
function asOperator(station: TestStation, path: string): Promise<Said> {
  const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
  return station.inject({ url: `/api${path}`, headers })
}

/** Works until a task is over. */
export async function untilOver(
  station: TestStation,
  id: number,
  rounds = 200,
): Promise<WikiTaskView> {
  for (let round = 0; round < rounds; round++) {
    const block = await nextBlock(station)
    if (block !== null) await station.send(await fetchBlock(station, block))
    await station.tick()
    const task = (await asOperator(station, `/wikis/tasks/${id}`)).body as WikiTaskView
    if (task.state !== 'running' && task.state !== 'waiting') return task
  }
  throw new Error(`task ${id} does not end`)
}

export async function addWiki(station: TestStation, request: object): Promise<WikiTaskView> {
  const { status, body } = await station.post('/wikis', { delayMs: 0, ...request })
  if (status !== 202) throw new Error(JSON.stringify(body))
  return body as WikiTaskView
}

interface StoredLine {
  revId: number
  parentId: number
  at: number
  user: string | null
  hidden: string[]
}

export async function historyOf(
  station: TestStation,
  wiki: string,
  title: string,
): Promise<StoredLine[]> {
  const url = `/api/wikis/${encodeURIComponent(wiki)}/history?title=${encodeURIComponent(title)}`
  const headers = { host: 'localhost', authorization: `Bearer ${TOKENS.apiKey}` }
  const { payload } = await station.app.inject({ url, headers })
  return payload
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StoredLine)
}
