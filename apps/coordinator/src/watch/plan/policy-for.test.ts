// Goal: Minga's own choice is used and reported, and a policy from a file plans like any other,
// fails without harm, and is missed without harm. Method: plans of synthetic pages on both engines;
// real files.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import type { PlanView } from '@minga/protocol'
import type { Store } from '@minga/store'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { START } from '../../../test/station-fixture.ts'
import { loadPolicies, requirePolicyName } from './live-policies.ts'
import { openPlanning, planAll, watchPages } from '../../../test/watch/plan/planning-fixture.ts'
import type { PlanningOperations } from '../../../test/watch/visits/planning-pages-fixture.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'minga-policies-'))
after(() => rm(folder, { recursive: true }))

async function file(name: string, next: string, more = ''): Promise<string> {
  const at = path.join(folder, `${name}.ts`)
  await writeFile(
    at,
    `export default { name: '${name}', usesBudget: false, ${more}
      next: (known: { lastVisitAt: number }, seen: { at: number }) => ${next} }`,
  )
  return at
}

const WHY = `{ policy: 'x', rule: 'by taste', chance: null, perDay: null, low: null, high: null, price: null }`
const TWO_DAYS = `({ at: seen.at + 172_800_000, state: { seen: 1 }, why: ${WHY} })`

async function plansOf(store: Store<PlanningOperations>, id: number): Promise<PlanView[]> {
  const next = await store.call('nextVisits', { id, limit: 10, now: START })
  return next.map(({ plan }) => plan!)
}

for (const engine of ENGINES) {
  describe(`policies on ${engine.name}`, { skip: engine.skip }, () => {
    test('with signals the choice depends on how much of them can be followed', async () => {
      const store = await openPlanning(engine)
      after(() => store.close())
      const [untold, followed, lost] = [
        await watchPages(store, { count: 3 }),
        await watchPages(store, { count: 3 }),
        await watchPages(store, { count: 3 }),
      ]
      await store.call('addNotices', { collectionId: followed, count: 8, caughtEvery: 1 })
      await store.call('addNotices', { collectionId: lost, count: 40, caughtEvery: 8 })
      await planAll(store, { visitsPerDay: 9 })
      const shown = async (id: number): Promise<string> => {
        const [{ policy, because, text }] = (await plansOf(store, id)) as [PlanView]
        assert.ok(text.endsWith(`(${policy}: ${because})`), text)
        return `${policy}: ${because}`
      }
      assert.match(await shown(untold), /^minga: on steady pages without signals/)
      assert.match(
        await shown(followed),
        /^complete-observation: its changes are signalled.* followed$/,
      )
      assert.match(await shown(lost), /^minga: more changes are signalled than the budget/)
    })

    test('a policy from a file plans its watches; one that fails or is absent leaves them to minga', async () => {
      const store = await openPlanning(engine)
      after(() => store.close())
      const files = [
        await file('every-second-day', TWO_DAYS),
        await file('thrower', `{ throw new Error('no idea') }`),
        await file('dreamer', `({ at: NaN, state: null, why: ${WHY} })`),
        await file('greedy', TWO_DAYS, `price: () => ({ perCost: 'much' }),`),
      ]
      await store.call('loadPoliciesInStore', { files })
      const watch = (policy: string): Promise<number> => watchPages(store, { count: 2 }, { policy })
      const mine = await watch('every-second-day')
      const broken = await Promise.all(['thrower', 'dreamer', 'greedy', 'gone'].map(watch))
      await planAll(store, { visitsPerDay: 10 })
      const [plan] = await plansOf(store, mine)
      assert.deepEqual([plan!.policy, plan!.because], ['every-second-day', null])
      assert.deepEqual(await store.call('gapsOf', { collectionId: mine }), [2, 2])
      const reasons: RegExp[] = [
        /The policy thrower threw “no idea” \(MINGA_POLICY_FAILED\)/,
        /The policy dreamer answered next with a moment that is none \(MINGA_POLICY_FAILED\)/,
        /The policy greedy answered price with no number \(MINGA_POLICY_FAILED\)/,
        /The policy gone is not loaded \(MINGA_POLICY_ABSENT\)/,
      ]
      for (const [i, id] of broken.entries()) {
        const [instead] = await plansOf(store, id)
        assert.equal(instead!.policy, 'minga')
        assert.match(instead!.text, reasons[i]!)
        for (const days of await store.call('gapsOf', { collectionId: id })) {
          assert.ok(days > 0.1 && days < 20, `visited again after ${days} days`)
        }
      }
    })
  })
}

test('a file that exports no policy, or one whose name is taken, is refused', async () => {
  const refused = { code: 'MINGA_BAD_POLICY' }
  await assert.rejects(loadPolicies([path.join(folder, 'nowhere.ts')]), refused)
  await assert.rejects(loadPolicies([await file('minga', TWO_DAYS)]), refused)
  await assert.rejects(loadPolicies([await file('no name', TWO_DAYS)]), refused)
  const empty = path.join(folder, 'empty.ts')
  await writeFile(empty, 'export const nothing = 1')
  await assert.rejects(loadPolicies([empty]), refused)
  const twice = await file('twice', TWO_DAYS)
  await assert.rejects(loadPolicies([twice, twice]), refused)
  assert.deepEqual(await loadPolicies([twice]), ['twice'])
  requirePolicyName('twice')
  assert.throws(() => requirePolicyName('thrice'), {
    code: 'MINGA_UNKNOWN_POLICY',
    message: /twice/,
  })
})
