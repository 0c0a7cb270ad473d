// Goal: whatever the order of arrivals, folds, compactions, purges and stops, histories are what they should be.
// Method: random sequences of these against a model that is a Map, compared after every few steps.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import type { Revision } from '../model.ts'
import {
  everything,
  newWiki,
  revisionOf,
  START,
  WIKI,
  type TestWiki,
} from '../../test/revisions/revisions-fixture.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 60 : 3

type Step =
  | { type: 'arrive'; pageId: number; revIds: number[]; tag: string | null }
  | { type: 'hide' | 'take-down'; revId: number }
  | { type: 'fold' | 'compact' | 'compact-all' | 'tidy' | 'reopen' | 'compare' }

const revId = fc.integer({ min: 1, max: 25 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('arrive' as const),
      pageId: fc.integer({ min: 1, max: 4 }),
      revIds: fc.uniqueArray(revId, { minLength: 1, maxLength: 8 }),
      tag: fc.option(fc.constantFrom('a', 'b')),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('hide', 'take-down'), revId }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom('fold', 'compact', 'compact-all', 'tidy', 'reopen', 'compare'),
    }),
  },
)

interface Expected {
  pageId: number
  text: string | null
  tags: string[]
}

class Model {
  readonly revisions = new Map<number, Expected>()
  readonly takenDown = new Set<number>()

  arrive(revision: Revision): void {
    const { pageId, revId: id, tags, slots } = revision
    const given = slots[0]!.text
    const text = this.takenDown.has(id) || given === null ? null : Buffer.from(given).toString()
    this.revisions.set(id, { pageId, tags, text })
  }

  takeDown(id: number): void {
    this.takenDown.add(id)
    const known = this.revisions.get(id)
    if (known) known.text = null
  }
}

async function run(wiki: TestWiki, model: Model, one: Step): Promise<void> {
  wiki.clock.set(wiki.clock.now() + 60_000)
  switch (one.type) {
    case 'arrive': {
      const tags = one.tag === null ? [] : [one.tag]
      const arriving = one.revIds.map((id) =>
        revisionOf(one.pageId, id, { tags, text: `Text ${id}, always the same.` }),
      )
      for (const revision of arriving) model.arrive(revision)
      return wiki.add(arriving)
    }
    case 'hide': {
      const pageId = model.revisions.get(one.revId)?.pageId ?? 1
      const hidden = revisionOf(pageId, one.revId, { text: null, tags: [], hidden: ['text'] })
      model.arrive(hidden)
      return wiki.add([hidden])
    }
    case 'take-down':
      model.takeDown(one.revId)
      return wiki.revisions.purge(WIKI, [one.revId], { reason: 'asked' })
    case 'fold':
      return void (await wiki.revisions.fold())
    case 'compact':
      return void (await wiki.revisions.compact())
    case 'compact-all':
      return void (await wiki.revisions.compact(WIKI, { isWhole: true }))
    case 'tidy':
      return void (await wiki.revisions.tidy())
    case 'reopen':
      return wiki.reopen()
    case 'compare':
      return compare(wiki, model)
  }
}

async function compare(wiki: TestWiki, model: Model): Promise<void> {
  const found = new Map<number, Expected>()
  for (const { revId: id, pageId, tags, slots } of await everything(wiki.revisions)) {
    assert.ok(!found.has(id), `revision ${id} is there twice`)
    const text = slots[0]!.text
    found.set(id, { pageId, tags, text: text === null ? null : Buffer.from(text).toString() })
  }
  const sorted = (map: Map<number, Expected>) => [...map].toSorted(([a], [b]) => a - b)
  assert.deepEqual(sorted(found), sorted(model.revisions))
  for (const [id, { text }] of model.revisions) {
    const read = await wiki.revisions.text(WIKI, id)
    assert.equal(read === null ? null : Buffer.from(read).toString(), text, `text of ${id}`)
  }
  const [stats] = await wiki.revisions.stats()
  assert.equal(stats!.revisions, model.revisions.size)
}

for (const engine of ENGINES) {
  describe(`a model of histories on ${engine.name}`, { skip: engine.skip }, () => {
    test('random arrivals, folds, compactions and purges end as the model says', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          const wiki = await newWiki(engine)
          wiki.clock.set(START)
          const model = new Model()
          for (const one of steps) await run(wiki, model, one)
          await compare(wiki, model)
          await wiki.revisions.fold()
          await compare(wiki, model)
          const { damages } = await wiki.revisions.verify(WIKI)
          assert.deepEqual(damages, [])
        }),
        { numRuns: RUNS, seed: 20_260_101, endOnFailure: false },
      )
    })
  })
}
