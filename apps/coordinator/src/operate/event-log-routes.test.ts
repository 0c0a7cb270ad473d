// Goal: operators find events in the log as they happen and long after, and no one else does.
// Method: the whole server over a real store of each engine; search results are compared with a
// plain filter over everything.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import type { EventFilter, EventPage, LoggedEvent, NewEvent } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { openPeople, type People } from '../../test/accounts/people-fixture.ts'
import { START, TOKENS } from '../../test/station-fixture.ts'
import { csvCell } from './event-log-routes.ts'
import { isWanted } from '../station/event-log/event-tail.ts'

const HOSTILE = `=cmd|'/c calc'!A1 "quoted", <script>alert(1)</script>\n\u0000\u001b[31m 100%_`
const KINDS = ['agent:lost', 'host:complained', 'station:trouble', 'collection:opened'] as const

/** Some of everything, a second apart. */
function sample(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const code = KINDS[i % KINDS.length]!
    const device = code === 'agent:lost' ? `dev_${i % 3}` : null
    const sentence = i === 2 ? HOSTILE : `Number ${i} of the SAMPLE.`
    const details = { message: sentence, restMs: 30_000 + i }
    const subject = `s${i % 5}`
    return { at: START + i * 1_000, code, subject, sentence, details, device, by: 'operator' }
  })
}

async function append(people: People, events: NewEvent[]): Promise<void> {
  await people.station.store.call('appendEvents', { events })
}

const pathOf = (filter: EventFilter & { before?: number; limit?: number }): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) query.set(name, String(value))
  return `/event-log?${query.toString()}`
}

const engines = ENGINES.filter(({ skip }) => !skip)
const opened = await Promise.all(engines.map((engine) => openPeople({ engine })))

for (const [i, engine] of engines.entries()) {
  describe(`The log of events on ${engine.name}`, () => {
    const people = opened[i]!
    const read = async (filter: EventFilter & { before?: number; limit?: number }) =>
      people.ok<EventPage>(TOKENS.apiKey, 'GET', pathOf(filter))

    test('it is read page by page, newest first, each line once', async () => {
      await append(people, sample(25))
      const seen: LoggedEvent[] = []
      for (let next: number | null | undefined; next !== null;) {
        const page = await read({ limit: 10, ...(next === undefined ? {} : { before: next }) })
        seen.push(...page.events)
        next = page.next
      }
      const ours = seen.filter(({ by }) => by === 'operator')
      assert.equal(ours.length, 25)
      assert.deepEqual(
        seen.map(({ id }) => id),
        seen.map(({ id }) => id).toSorted((a, b) => b - a),
      )
      assert.equal(ours[0]!.byName, 'operator')
      assert.deepEqual([ours[0]!.level, ours[0]!.context], ['warning', 'agent'])
    })

    test('every filter finds what a plain look over everything finds', async () => {
      const { events: all } = await read({ limit: 1_000 })
      const filters: EventFilter[] = [
        {},
        { level: 'warning' },
        { level: 'error' },
        { context: 'agent' },
        { text: 'sample' },
        { text: '100%_' },
        { text: 'HOST:' },
        { text: "'" },
        { from: START + 5_000 },
        { to: START + 5_000 },
        { from: START + 5_000, to: START + 9_000, level: 'warning' },
        { subject: 's3' },
        { agent: 'dev_2' },
        { agent: 'dev_2', text: 'nowhere' },
      ]
      for (const filter of filters) {
        const { events } = await read({ ...filter, limit: 1_000 })
        const expected = all.filter((event) => isWanted(filter, event))
        assert.deepEqual(events, expected, JSON.stringify(filter))
      }
      const refused = await people.outcome(TOKENS.apiKey, 'GET', '/event-log?level=loud')
      assert.equal(refused, '400 MINGA_BAD_MESSAGE')
    })

    test('what strangers had a hand in is one plain line', async () => {
      const { events } = await read({ text: 'cmd|' })
      assert.equal(events.length, 1)
      assert.ok(!/\p{Cc}/u.test(events[0]!.sentence))
      assert.ok(!/\p{Cc}/u.test(String(events[0]!.details?.['message'])))
    })

    test('all of it is a file, as JSON lines and for spreadsheets', async () => {
      const headers = { authorization: `Bearer ${TOKENS.apiKey}`, host: 'localhost' }
      const file = async (as: string): Promise<string> => {
        const url = `/api/event-log/export?as=${as}&to=${START + 25_000}`
        return (await people.station.app.inject({ url, headers })).body
      }
      const lines = (await file('jsonl')).trim().split('\n')
      const { events } = await read({ to: START + 25_000, limit: 1_000 })
      assert.equal(lines.length, events.length)
      const first = JSON.parse(lines[0]!) as { at: string; details: object }
      assert.equal(first.at, new Date(events[0]!.at).toISOString())
      assert.deepEqual(first.details, events[0]!.details)
      const csv = (await file('csv')).trim().split('\r\n')
      assert.match(csv[0]!, /,times,details$/)
      assert.equal(csv.length, lines.length + 1)
      assert.ok(csv.some((row) => row.includes(`"'=cmd|'/c calc'!A1 ""quoted"", <script>`)))
    })

    test('the log keeps to its limits, the newest lines stay', async () => {
      const { store } = people.station
      const { events: before } = await read({ limit: 1_000 })
      const limits = { before: START + 3_000, most: 10, limit: 1_000 }
      const gone = await store.call('tidyEvents', limits)
      const { events } = await read({ limit: 1_000 })
      assert.equal(gone, before.length - 10)
      assert.deepEqual(events, before.slice(0, 10))
      await store.call('tidyEvents', { ...limits, before: START + 24_000, most: 1_000 })
      assert.ok((await read({ limit: 1_000 })).events.every(({ at }) => at >= START + 24_000))
    })

    test('Config variables: the log holds as many lines, and as old ones, as the settings say', async () => {
      const { clock } = people.station
      const set = (settings: object) => people.ok(TOKENS.apiKey, 'PATCH', '/settings', settings)
      const kept = async (): Promise<LoggedEvent[]> => {
        await clock.advance(61_000)
        await people.station.tick()
        const { events, next } = await read({ limit: 1_000 })
        assert.equal(next, null)
        return events
      }
      await append(
        people,
        sample(1_100).map((event) => ({ ...event, at: clock.now() })),
      )
      await set({ eventsMost: 1_000 })
      assert.equal((await kept()).length, 1_000)
      await set({ eventsKeptMs: 3_600_000 })
      await clock.advance(3_600_000)
      assert.ok((await kept()).length < 10)
      await set({ eventsKeptMs: 86_400_000, eventsMost: 200_000 })
    })

    test('what people and programs do to accounts stands in it, with who did it', async () => {
      const { id, token } = await people.person('logged', 'reader')
      await people.ok(TOKENS.apiKey, 'POST', `/accounts/${id}/roles`, { roles: ['collector'] })
      const { key } = await people.key(token)
      await people.ok(token, 'DELETE', `/keys/${key.id}`)
      const wrong = { name: 'logged', password: 'not the password' }
      assert.equal(await people.outcome(null, 'POST', '/sessions', wrong), '401 MINGA_BAD_LOGIN')
      const set = { delayMs: 1_500 }
      await people.ok(TOKENS.apiKey, 'PATCH', '/settings', set)
      await people.ok(token, 'POST', '/collections', { seeds: ['http://logged.test/'] })
      await people.station.tick()
      const { events } = await read({ limit: 1_000 })
      const codes = new Map(events.map(({ code, by, sentence }) => [code, { by, sentence }]))
      assert.equal(codes.get('account:made')?.by, 'operator')
      assert.equal(codes.get('account:logged-in')?.by, id)
      assert.match(codes.get('account:roles')!.sentence, /logged are collector/)
      assert.equal(codes.get('account:key-made')?.by, id)
      assert.equal(codes.get('account:key-revoked')?.by, id)
      assert.ok(codes.has('account:refused'))
      assert.ok(events.some(({ sentence }) => sentence.includes('delayMs is 1500')))
      assert.ok(codes.has('collection:opened'))
      assert.ok(!JSON.stringify(events).includes('not the password'))
    })

    test('only those who answer for the station read it', async () => {
      const { token } = await people.person('curious', 'collector', 'reader', 'client')
      const { token: owner } = await people.person('answering', 'owner')
      for (const path of ['/event-log', '/event-log/stream', '/event-log/export']) {
        assert.equal(await people.outcome(null, 'GET', path), '401 MINGA_NOT_ALLOWED')
        assert.equal(await people.outcome(token, 'GET', path), '403 MINGA_FORBIDDEN')
      }
      assert.equal(await people.outcome(owner, 'GET', '/event-log'), '200')
    })

    test('viewers get new lines within a second or two, those they want, each once', async () => {
      const { app, clock } = people.station
      if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = app.server.address() as { port: number }
      const url = `http://127.0.0.1:${port}/api/event-log/stream?context=host`
      const headers = { host: 'localhost', authorization: `Bearer ${TOKENS.apiKey}` }
      const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage]
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      await once(response, 'data')
      await append(people, sample(8))
      for (let tries = 0; tries < 50 && !text.includes('event: events'); tries++) {
        await clock.advance(1_000)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await append(people, sample(2))
      for (let tries = 0; tries < 20; tries++) {
        await clock.advance(1_000)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      response.destroy()
      const told = [...text.matchAll(/data: (.+)\n/g)].flatMap(
        ([, data]) => JSON.parse(data!) as LoggedEvent[],
      )
      assert.equal(told.length, 3)
      assert.ok(told.every(({ context }) => context === 'host'))
      assert.equal(new Set(told.map(({ id }) => id)).size, 3)
    })
  })
}

test('a cell of a spreadsheet is never a formula, and one cell whatever it holds', () => {
  const cells: [value: string | number | null, cell: string][] = [
    ['plain', 'plain'],
    [null, ''],
    [-5, '-5'],
    ['-5', "'-5"],
    ['=1+1', "'=1+1"],
    ['@sum', "'@sum"],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
  ]
  for (const [value, cell] of cells) assert.equal(csvCell(value), cell)
})
