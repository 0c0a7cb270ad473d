// Goal: each reader of the list of jobs sees what they may see elsewhere, and is offered what they may do. Method: the
// whole server over a store, called by people of several roles.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobPage, JobView } from '@minga/protocol'
import { openPeople } from '../../../test/accounts/people-fixture.ts'
import { TOKENS } from '../../../test/station-fixture.ts'

const people = await openPeople()
const read = (token: string, query = ''): Promise<JobPage> =>
  people.ok(token, 'GET', `/jobs${query}`)

async function collect(token: string, host: string): Promise<number> {
  const asked = { seeds: [`http://${host}/`] }
  return (await people.ok<{ id: number }>(token, 'POST', '/collections', asked)).id
}

const idsOf = ({ jobs }: JobPage): string[] => jobs.map(({ id }) => id)
const jobOf = ({ jobs }: JobPage, id: number): JobView => jobs.find((job) => job.id === String(id))!

test('a job is offered to the user who started it to pause and cancel, to others only to view', async () => {
  const ann = await people.person('ann', 'collector')
  const bob = await people.person('bob', 'collector')
  const reader = await people.person('rea', 'reader')
  const id = await collect(ann.token, 'ann.test')
  assert.deepEqual(jobOf(await read(ann.token), id).acts, ['pause', 'cancel'])
  assert.deepEqual(jobOf(await read(TOKENS.apiKey), id).acts, ['pause', 'cancel'])
  assert.deepEqual(jobOf(await read(bob.token), id).acts, [])
  assert.deepEqual(jobOf(await read(reader.token), id).acts, [])
  await people.ok(ann.token, 'POST', `/collections/${id}/pause`)
  const paused = jobOf(await read(ann.token), id)
  assert.deepEqual([paused.state, paused.acts], ['paused', ['resume', 'cancel']])
  await people.ok(ann.token, 'POST', `/collections/${id}/cancel`)
  assert.deepEqual(jobOf(await read(ann.token), id).acts, [])
})

test('requests are listed for their sender alone, not even for operators', async () => {
  const cli = await people.person('cli', 'client')
  const other = await people.person('other', 'client')
  const budget = { micros: 1_000_000 }
  await people.ok(TOKENS.apiKey, 'POST', `/accounts/${cli.id}/top-up`, budget)
  const asked = { urls: ['http://batch.test/'] }
  const batch = await people.ok<{ id: string }>(cli.token, 'POST', '/batches', asked)
  const seen = (await read(cli.token, '?kind=batch')).jobs
  assert.deepEqual(
    seen.map(({ id, acts }) => [id, acts]),
    [[batch.id, ['cancel']]],
  )
  assert.deepEqual(idsOf(await read(other.token)), [])
  assert.deepEqual(idsOf(await read(TOKENS.apiKey, '?kind=batch')), [])
})

test('a page says where the next one begins, and what is no such place is refused', async () => {
  for (let i = 0; i < 5; i++) await collect(TOKENS.apiKey, `page-${i}.test`)
  const whole = idsOf(await read(TOKENS.apiKey, '?kind=collection'))
  const seen: string[] = []
  for (let next: string | null = ''; next !== null;) {
    const place = next === '' ? '' : `&after=${encodeURIComponent(next)}`
    const page: JobPage = await read(TOKENS.apiKey, `?kind=collection&limit=2${place}`)
    seen.push(...idsOf(page))
    next = page.next
  }
  assert.deepEqual(seen, whole)
  for (const query of ['after=nonsense', 'kind=loud', 'state=loud', 'limit=0']) {
    assert.equal(
      await people.outcome(TOKENS.apiKey, 'GET', `/jobs?${query}`),
      '400 MINGA_BAD_MESSAGE',
    )
  }
})

test('strangers and those without any right see nothing', async () => {
  assert.equal(await people.outcome(null, 'GET', '/jobs'), '401 MINGA_NOT_ALLOWED')
  const { token } = await people.person('vol', 'volunteer')
  assert.equal(await people.outcome(token, 'GET', '/jobs'), '403 MINGA_FORBIDDEN')
})
