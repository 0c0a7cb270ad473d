// Goal: a killed process loses no acknowledged posting, leaves none half, and what is asked again
// after it is paid once. Method: a child that posts until SIGKILL, then the book is opened again.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ENGINES, type Home } from '../../../store/test/contract-engines.ts'
import { lifeOfBatch, type CrashArgs } from '../../test/ledger/crash-fixture.ts'
import { TestLedger } from '../../test/ledger/ledger-fixture.ts'
import type { ContractOperations } from '../../test/contract-operations.ts'

const KILLS = process.env['MINGA_LONG'] === '1' ? 50 : 3
/** Past the start of the child there are dozens of commits in this time. */
const LONGEST_LIFE_MS = 150

const CHILD = fileURLToPath(new URL('../../test/ledger/crash-fixture.ts', import.meta.url))
const operations = new URL('../../test/contract-operations.ts', import.meta.url).href

/** Runs the child until it is killed; returns the ids it printed. */
async function workAndDie(args: CrashArgs, lifeMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(args)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) {
    if (output === '') setTimeout(() => child.kill('SIGKILL'), lifeMs)
    output += String(chunk)
  }
  assert.equal(child.exitCode, null, 'the child ended by itself')
  // The last line may be cut off by the kill.
  return output.split('\n').slice(1, -1)
}

/** Opens the book as a next start would; every batch that was begun is asked for again whole. */
async function inspect(home: Home, acknowledged: ReadonlySet<string>): Promise<void> {
  const ledger = new TestLedger(await home.open<ContractOperations>({ operations }))
  try {
    await ledger.assertAddsUp()
    const rows = await ledger.query<{ id: string }>('SELECT id FROM ledger_postings')
    const held = new Set(rows.map(({ id }) => id))
    for (const id of acknowledged) assert.ok(held.has(id), `${id} was acknowledged`)
    const batches = new Set([...held].map((id) => id.slice(0, id.lastIndexOf('_'))))
    const unfinished = [...batches].filter((batch) => !held.has(`${batch}_close`))
    for (const batch of unfinished) {
      for (const { id, ask } of lifeOfBatch(batch)) {
        const { outcome } = await ask(ledger.store)
        assert.equal(outcome, held.has(id) ? 'repeated' : 'posted')
      }
    }
    await ledger.assertAddsUp()
    // Of a batch of 56 half is used: 8 of 28 for the platform, 15 for the owner, 5 held.
    const accounts = ['outside', 'client:acct_c', 'platform', 'volunteer:acct_v', 'held:dev_1']
    const found = await ledger.call('balancesOf', { accounts })
    const each = [-56, 28, 8, 15, 5]
    const expected = each.map((micros) => micros * batches.size + 0)
    assert.deepEqual(
      found.map(({ balanceMicros }) => balanceMicros),
      expected,
    )
  } finally {
    await ledger.store.close()
  }
}

for (const engine of ENGINES) {
  describe(`A process killed while it pays on ${engine.name}`, { skip: engine.skip }, () => {
    test(`loses no posting and pays nothing twice, ${KILLS} times`, async () => {
      const home = await engine.home()
      const options = { ...home.options, operations }
      const acknowledged = new Set<string>()
      for (let life = 0; life < KILLS; life++) {
        const ids = await workAndDie({ options, life }, Math.random() * LONGEST_LIFE_MS)
        for (const id of ids) acknowledged.add(id)
        await inspect(home, acknowledged)
      }
      assert.ok(acknowledged.size > 0, 'nothing was ever acknowledged')
    })
  })
}
