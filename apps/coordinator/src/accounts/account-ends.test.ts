// Goal: a person takes everything along that is stored about them, and can go: nothing of theirs opens anything after, and
// the books of others still hold. Method: whole stations on both databases; the list of tables against the schema.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Balance } from '@minga/protocol'
import { MIGRATIONS } from '../../../../packages/store/src/migrations.ts'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { TestDevice } from '../../test/agents/device-fixture.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { ACCOUNT_TABLES, OTHER_TABLES } from './account-tables.ts'
import { codeAt } from '../../test/accounts/authenticator-fixture.ts'
import { openPeople, PASSWORD } from '../../test/accounts/people-fixture.ts'

const STEP_MS = 30_000
const OPERATOR_KEY = TOKENS.apiKey

interface Exported {
  name: string
  tables: { table: string; rows: Record<string, unknown>[] }[]
}

for (const engine of ENGINES) {
  describe(`Export and deletion on ${engine.name}`, { skip: engine.skip }, async () => {
    const people = await openPeople({ engine })
    const { clock } = people.station

    test('an export shows what is stored, and no digest or secret', async () => {
      const { token, id } = await people.person('ends.ana', 'client')
      const { key, secret } = await people.key(token)
      await people.ok(OPERATOR_KEY, 'POST', `/accounts/${id}/top-up`, { micros: 1_000_000 })
      await people.ok(token, 'POST', '/batches', { urls: ['http://a.test/'] })
      const shown = await people.ok<Exported>(token, 'GET', '/me/export')
      const tables = new Map(shown.tables.map(({ table, rows }) => [table, rows]))
      assert.equal(shown.name, 'ends.ana')
      assert.equal(tables.get('accounts')![0]!['name'], 'ends.ana')
      assert.equal(tables.get('api_keys')![0]!['id'], key.id)
      assert.equal(tables.get('batches')!.length, 1)
      assert.ok(tables.get('ledger_entries')!.length > 0)
      const text = JSON.stringify(shown)
      for (const hidden of ['hash', 'scrypt', secret, token]) assert.ok(!text.includes(hidden))
      assert.equal(await people.outcome(secret, 'GET', '/me/export'), '403 MINGA_FORBIDDEN')
      const byOperator = await people.ok<Exported>(OPERATOR_KEY, 'GET', '/accounts/ends.ana/export')
      assert.equal(byOperator.name, 'ends.ana')
      assert.deepEqual((await people.acts(id)).at(-1), ['account:exported', 'operator'])
      const other = await people.person('ends.anton', 'client')
      assert.ok(!JSON.stringify(await people.ok(other.token, 'GET', '/me/export')).includes(id))
    })

    test('who deletes their account needs the password, and is gone with all that opens it', async () => {
      const { token, id } = await people.person('ends.ben', 'client', 'volunteer')
      const { secret } = await people.key(token)
      const join = await people.ok<{ token: string }>(token, 'POST', '/join-tokens', {})
      const device = new TestDevice(people.station)
      await device.enrol(join.token)
      assert.equal((await device.hello('boot-one')).status, 200)
      await people.ok(OPERATOR_KEY, 'POST', `/accounts/${id}/top-up`, { micros: 1_000_000 })
      await people.ok(token, 'POST', '/batches', { urls: ['http://b.test/'] })
      const go = (password: string): Promise<string> =>
        people.outcome(token, 'POST', '/me/deletion', { password })
      assert.equal(await go('not the password'), '401 MINGA_BAD_LOGIN')
      assert.equal(await go(PASSWORD), '200')
      for (const shown of [token, secret]) {
        assert.equal(await people.outcome(shown, 'GET', '/me'), '401 MINGA_NOT_ALLOWED')
      }
      const logIn = { name: 'ends.ben', password: PASSWORD }
      assert.equal(await people.outcome(null, 'POST', '/sessions', logIn), '401 MINGA_BAD_LOGIN')
      assert.notEqual((await device.hello('boot-two')).status, 200, 'its device is gone')
      await people.station.tick()
      const balancePath = `/balance?as=client&account=${id}`
      const balance = await people.ok<Balance>(OPERATOR_KEY, 'GET', balancePath)
      assert.equal(balance.balanceMicros, 1_000_000, 'the book of the station still holds')
      const page = await people.ok<{ rows: { id: string; name: string; roles: string[] }[] }>(
        OPERATOR_KEY,
        'GET',
        `/accounts/page?text=${id}`,
      )
      assert.deepEqual(
        page.rows.map(({ name, roles }) => ({ name, roles })),
        [{ name: `deleted-${id.slice(-12)}`, roles: [] }],
      )
      const left = await people.ok<Exported>(OPERATOR_KEY, 'GET', `/accounts/${id}/export`)
      assert.ok(!left.tables.some(({ table }) => ['api_keys', 'join_tokens'].includes(table)))
      assert.ok(!JSON.stringify(left.tables[0]).includes('ends.ben'))
      assert.deepEqual((await people.acts(id)).slice(-2), [
        ['account:deleted', id],
        ['account:exported', 'operator'],
      ])
      const acts = left.tables.filter(({ table }) => table === 'audit_log')
      assert.ok(acts.length > 0 && !JSON.stringify(acts).includes('ends.ben'))
      await people.account('ends.ben', ['reader'])
    })

    test('with a second factor the deletion needs a code as well', async () => {
      const { token } = await people.person('ends.cleo', 'reader')
      const begun = await people.ok<{ secret: string }>(token, 'POST', '/me/second-factor', {
        password: PASSWORD,
      })
      const code = (): string => codeAt(begun.secret, clock.now())
      await people.ok(token, 'POST', '/me/second-factor/confirm', { code: code() })
      const go = (body: object): Promise<string> =>
        people.outcome(token, 'POST', '/me/deletion', { password: PASSWORD, ...body })
      assert.equal(await go({}), '401 MINGA_SECOND_FACTOR_NEEDED')
      await clock.advance(STEP_MS)
      assert.equal(await go({ code: code() }), '200')
    })

    test('collections go to the operator, who may delete accounts, but not the operator’s own', async () => {
      const { token, id } = await people.person('ends.dora', 'collector')
      const started = await people.ok<{ id: number }>(token, 'POST', '/collections', {
        seeds: ['http://d.test/'],
      })
      const { token: other } = await people.person('ends.dirk', 'reader')
      const remove = (shown: string, account: string): Promise<string> =>
        people.outcome(shown, 'DELETE', `/accounts/${account}`)
      assert.equal(await remove(other, id), '403 MINGA_FORBIDDEN')
      assert.equal(await remove(OPERATOR_KEY, 'operator'), '409 MINGA_OPERATOR_STAYS')
      assert.equal(await remove(OPERATOR_KEY, 'ends.dora'), '200')
      assert.deepEqual((await people.acts(id)).at(-1), ['account:deleted', 'operator'])
      const path = '/collections/list?owner=operator'
      const { rows } = await people.ok<{ rows: { id: number }[] }>(OPERATOR_KEY, 'GET', path)
      assert.ok(rows.some((each) => each.id === started.id))
    })
  })
}

test('every table that names an account is exported and ended, or left out for a reason', () => {
  const names = /^(account|account_id|owner|client|by_account|made_by|subject|credential)\b/
  const found = new Set<string>()
  for (const { statements } of MIGRATIONS) {
    for (const statement of statements) {
      const [, table, columns = ''] =
        /^\s*CREATE TABLE (\w+) \(([^]*)\)/.exec(statement) ??
        /^\s*ALTER TABLE (\w+) ADD COLUMN ([^]*)$/.exec(statement) ??
        []
      const isNamed = columns.split('\n').some((line) => names.test(line.trim()))
      if (table !== undefined && isNamed) found.add(table)
    }
  }
  const listed = new Set([
    ...ACCOUNT_TABLES.map(({ table }) => table),
    ...Object.keys(OTHER_TABLES),
  ])
  assert.deepEqual(
    [...found].filter((table) => !listed.has(table)),
    [],
  )
})
