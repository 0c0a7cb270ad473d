// Goal: rules about hosts are searched, narrowed down, sorted and read page by page. Method: the real operations on
// both databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { allPages, assertEveryOrder } from '../../../store/test/sorted-page-fixture.ts'
import { HOST_RULE_ORDERS, type FindHostRulesArgs } from './host-rules-read.ts'
import { openStation } from '../../test/station-fixture.ts'

const CODE = 'MINGA_HOST_DENIED'

for (const engine of ENGINES) {
  test(`rules are found on ${engine.name}`, { skip: engine.skip }, async () => {
    const { store, now } = await openStation(engine)
    const decide = (
      operation: 'closeHosts' | 'exemptHosts',
      patterns: string[],
      more: { source: string; reason: string; by: string; now?: number },
    ): Promise<unknown> => store.call(operation, { rules: patterns, code: CODE, now, ...more })
    const patterns = ['c.test', '*.a.test', 'b.test', 'a_b.test', 'd.test']
    const spam = { source: 'operator', reason: 'Spam', by: 'ana' } as const
    await decide('closeHosts', patterns, spam)
    const asked = { ...spam, reason: 'The owner asked', by: 'ben', now: now + 5 }
    await decide('exemptHosts', ['x.a.test'], asked)
    await decide('closeHosts', ['z.test'], { ...spam, source: 'owner' })

    const args = { source: 'operator' } as const
    await assertEveryOrder({
      orders: HOST_RULE_ORDERS,
      read: (part) => store.call('findHostRules', { ...args, ...part }),
      idOf: ({ pattern }) => pattern,
    })
    const found = async (more: Partial<FindHostRulesArgs>): Promise<string[]> => {
      const rules = await allPages((part) =>
        store.call('findHostRules', { ...part, ...args, order: 'host', ...more }),
      )
      return rules.map(({ pattern }) => pattern)
    }
    assert.deepEqual(new Set(await found({})), new Set([...patterns, 'x.a.test']))
    assert.deepEqual(await found({ text: 'OWNER asked' }), ['x.a.test'])
    assert.deepEqual(await found({ text: '_' }), ['a_b.test'])
    assert.deepEqual(await found({ effect: 'exempt' }), ['x.a.test'])
    assert.deepEqual(await found({ from: now + 1 }), ['x.a.test'])
    assert.equal((await found({ to: now + 1 })).length, 5)
  })
}
