// Goal: each act of a person is in the audit log with its actor, written with the act or not at
// all, and later manipulation of the log is detected. Method: whole stations of each engine called
// through their API; for tampering the rows are changed past the triggers, as the owner of the
// database can.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { AuditVerifier, type AuditEntry, type AuditPage, type AuditVerdict } from '@minga/protocol'
import type { Store } from '@minga/store'
import { Client } from 'pg'
import { ENGINES, type Home } from '../../../../../packages/store/test/contract-engines.ts'
import { openPeople, type People } from '../../../test/accounts/people-fixture.ts'
import { operations } from '../../operations.ts'
import type { Operations } from '../../station/station-operations.ts'
import { TOKENS } from '../../../test/station-fixture.ts'
import { AUDITED } from './audited-operations.ts'
import type { ChangeOperations } from '../../../test/operate/audit-log/audit-change-fixture.ts'

const OPERATIONS = new URL('../../operations.ts', import.meta.url).href

async function entriesOf(people: People): Promise<AuditEntry[]> {
  const all: AuditEntry[] = []
  for (let after: number | null = 0; after !== null;) {
    const path: string = `/audit-log?after=${after}&limit=7`
    const page: AuditPage = await people.ok<AuditPage>(TOKENS.apiKey, 'GET', path)
    all.push(...page.entries)
    after = page.next
  }
  return all
}

function verdictOn(entries: readonly AuditEntry[], head?: string): AuditVerdict {
  const verifier = new AuditVerifier(head)
  for (const entry of entries) verifier.add(entry)
  return verifier.verdict()
}

/** What one does who holds the database, not the station: triggers do not stop them. */
async function tamper({ options }: Home, statements: readonly string[]): Promise<void> {
  if (options.postgresUrl === undefined) {
    const db = new DatabaseSync(join(options.data, 'minga.db'))
    db.exec(
      'DROP TRIGGER IF EXISTS audit_log_no_update; DROP TRIGGER IF EXISTS audit_log_no_delete',
    )
    for (const statement of statements) db.exec(statement)
    db.close()
    return
  }
  const client = new Client({ connectionString: options.postgresUrl })
  await client.connect()
  await client.query('SET session_replication_role = replica')
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const quotaOf = (client: string, dayMax: number) => ({
  client,
  openMax: 1,
  dayMax,
  by: 'ana',
  now: 5,
})

async function read(store: Store<Operations>): Promise<AuditEntry[]> {
  return store.call('readAudit', { after: 0, limit: 1_000 })
}

for (const engine of ENGINES) {
  describe(`the audit log on ${engine.name}`, { skip: engine.skip }, () => {
    test('every act over the API stands in it once, with who did it and to what, and no secret', async () => {
      const people = await openPeople({ engine })
      const { id: me, token: operator } = await people.person('ana', 'operator')
      const { id, token: client } = await people.person('carlos', 'client')
      const before = (await entriesOf(people)).length
      await people.ok(operator, 'POST', `/accounts/${id}/top-up`, { micros: 5_000_000 })
      await people.ok(operator, 'POST', `/accounts/${id}/quota`, { openMax: 9, dayMax: null })
      await people.ok(operator, 'POST', `/accounts/${id}/roles`, { roles: ['client', 'reader'] })
      const made = await people.ok<{ key: { id: string }; secret: string }>(
        client,
        'POST',
        '/keys',
        {
          name: 'a program',
        },
      )
      await people.ok(operator, 'DELETE', `/keys/${made.key.id}`)
      const token = await people.ok<{ id: string; token: string }>(
        operator,
        'POST',
        '/join-tokens',
        {},
      )
      await people.ok(operator, 'DELETE', `/join-tokens/${token.id}`)
      const reset = await people.ok<{ token: string }>(operator, 'POST', '/resets', { account: id })
      await people.ok(operator, 'PATCH', '/settings', { delayMs: 1_250, note: 'slower' })
      await people.ok(operator, 'PATCH', '/settings', { delayMs: 1_250 })
      const acts = (await entriesOf(people)).slice(before)
      assert.deepEqual(
        acts.map(({ act, actor, subject }) => [act, actor, subject]),
        [
          ['budget:top-up', me, id],
          ['budget:quota', me, id],
          ['account:roles', me, id],
          ['key:made', id, made.key.id],
          ['key:revoked', me, made.key.id],
          ['join-token:made', me, token.id],
          ['join-token:revoked', me, token.id],
          ['account:reset-made', me, id],
          ['setting:changed', me, 'delayMs'],
        ],
      )
      assert.equal(acts[0]!.details['micros'], 5_000_000)
      assert.deepEqual(acts[8]!.details, { before: '1000', after: '1250' })
      const text = JSON.stringify(await entriesOf(people))
      for (const secret of [made.secret, token.token, reset.token])
        assert.ok(!text.includes(secret))
      assert.equal(verdictOn(await entriesOf(people)).isIntact, true)
    })

    test('an act that fails leaves no entry, and a repeated one no second', async () => {
      const people = await openPeople({ engine })
      const before = (await entriesOf(people)).length
      await people.call(TOKENS.apiKey, 'POST', '/accounts/acct_nobody/roles', { roles: [] })
      await people.call(TOKENS.apiKey, 'DELETE', '/keys/key_nobody')
      const { store } = people.station
      const topUp = { id: 'topup_1', client: 'c', micros: 7, by: 'operator', at: 1 }
      await store.call('topUp', topUp)
      await store.call('topUp', topUp)
      assert.equal((await entriesOf(people)).length, before + 1)
    })

    test('only operators and owners read it', async () => {
      const people = await openPeople({ engine })
      const { token } = await people.person('rosa', 'reader', 'client', 'collector', 'volunteer')
      assert.equal((await people.call(token, 'GET', '/audit-log')).status, 403)
      assert.equal((await people.call(null, 'GET', '/audit-log')).status, 401)
      const owner = await people.person('olga', 'owner')
      assert.equal((await people.call(owner.token, 'GET', '/audit-log')).status, 200)
    })

    test('statements of the station can neither change nor remove an entry', async () => {
      const home = await engine.home()
      const store = await home.openHere<ChangeOperations>({ operations: OPERATIONS_OF_CHANGE })
      await store.call('setQuota', quotaOf('c', 1))
      await assert.rejects(store.call('changeEntry', {}), { code: 'MINGA_CONSTRAINT_BROKEN' })
      await assert.rejects(store.call('removeEntry', {}), { code: 'MINGA_CONSTRAINT_BROKEN' })
      assert.equal((await read(store)).length, 1)
      await store.close()
    })

    test('whatever is changed past the station is found, at the first entry that is not as written', async () => {
      const home = await engine.home()
      const store = await home.openHere<Operations>({ operations: OPERATIONS })
      for (let day = 1; day <= 8; day++) await store.call('setQuota', quotaOf(`client ${day}`, day))
      await store.close()
      const after = async (...statements: string[]): Promise<AuditEntry[]> => {
        await tamper(home, statements)
        const again = await home.openHere<Operations>({ operations: OPERATIONS })
        const entries = await read(again)
        await again.close()
        return entries
      }
      const whole = await after()
      const { head } = verdictOn(whole)
      assert.deepEqual(verdictOn(whole, head).isIntact, true)

      // The last one goes: the rest is a whole chain, and only the head that was kept elsewhere shows it.
      const cut = await after('DELETE FROM audit_log WHERE seq = 8')
      assert.equal(verdictOn(cut).isIntact, true)
      assert.deepEqual(verdictOn(cut, head).missingHead, head)
      assert.equal(verdictOn(cut, whole[4]!.hash).isIntact, true)

      const swap = [
        'UPDATE audit_log SET seq = 99 WHERE seq = 6',
        'UPDATE audit_log SET seq = 6 WHERE seq = 7',
      ]
      const reordered = await after(...swap, 'UPDATE audit_log SET seq = 7 WHERE seq = 99')
      assert.deepEqual(verdictOn(reordered).broken, { seq: 6, why: 'changed' })

      const removed = await after('DELETE FROM audit_log WHERE seq = 4')
      assert.deepEqual(verdictOn(removed).broken, { seq: 5, why: 'misplaced' })
      assert.equal(verdictOn(removed).entries, 3)

      const changed = await after(`UPDATE audit_log SET actor = 'eve' WHERE seq = 2`)
      assert.deepEqual(verdictOn(changed).broken, { seq: 2, why: 'changed' })
      const spoilt = await after(`UPDATE audit_log SET details = 'no JSON' WHERE seq = 1`)
      assert.deepEqual(verdictOn(spoilt).broken, { seq: 1, why: 'changed' })
    })

    test('acts at the same time, also of several coordinators, make one chain', async () => {
      const home = await engine.home()
      const first = await home.open<Operations>({ operations: OPERATIONS })
      const isShared = home.options.postgresUrl !== undefined
      const second = isShared
        ? await home.open<Operations>({ operations: OPERATIONS, writer: 'w2' })
        : first
      const acts = Array.from({ length: 60 }, (_, i) =>
        (i % 2 ? first : second).call('setQuota', quotaOf(`client ${i}`, i)),
      )
      await Promise.all(acts)
      const entries = await read(first)
      assert.equal(new Set(entries.map(({ subject }) => subject)).size, 60)
      assert.deepEqual([verdictOn(entries).isIntact, entries.length], [true, 60])
      await first.close()
      if (isShared) await second.close()
    })
  })
}

const OPERATIONS_OF_CHANGE = new URL(
  '../../../test/operate/audit-log/audit-change-fixture.ts',
  import.meta.url,
).href

test('accountable acts are audited, and nothing that crawling does', () => {
  const acts = Object.keys(AUDITED)
  for (const act of acts) assert.ok(Object.hasOwn(operations, act), act)
  for (const work of ['ingest', 'leaseToDevice', 'beat', 'appendEvents', 'post', 'settle']) {
    assert.ok(!acts.includes(work), work)
  }
})
