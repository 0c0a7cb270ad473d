// Goal: what a wiki hides is in no file here after the next update. Method: a fake wiki whose answers are
// also kept as WARC; after the hiding every file of the station is unpacked and searched.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WikiTaskView } from '@minga/protocol'
import { startFakeWiki, type WikiOperation } from '@minga/testkit'
import { openRevisions } from '@minga/wiki'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import type { TestStation } from '../../test/station-fixture.ts'
import {
  addWiki,
  historyOf,
  openWikiStation,
  pass,
  untilOver,
} from '../../test/wiki/wiki-fixture.ts'
import { filesWith } from '../../test/archive/takedown/traces-fixture.ts'

const TEXT = 'Ana lives at 12 Calle Luna'
const USER = 'AnaTheEditor'
const COMMENT = 'my number is 555-0199'

/** The second revision is the one that gets hidden. */
const HISTORY: WikiOperation[] = [
  { do: 'edit', title: 'Llama', text: 'An animal', at: '2020-01-01T00:00:00Z' },
  {
    do: 'edit',
    title: 'Llama',
    text: TEXT,
    user: USER,
    comment: COMMENT,
    at: '2020-01-01T01:00:00Z',
  },
  { do: 'edit', title: 'Llama', text: 'An animal again', at: '2020-01-01T02:00:00Z' },
]

const UPKEEP_MS = 61_000

/** Long enough for folds, for what follows them, and for files that were removed. */
async function keep(station: TestStation): Promise<void> {
  for (let minute = 0; minute < 4; minute++) {
    await pass(station, UPKEEP_MS)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** What arrived is written to packs and tables, as at the stop of a station. */
async function fold({ data, clock, store }: TestStation): Promise<void> {
  const revisions = openRevisions({ data, clock, store })
  await revisions.fold()
  await revisions.close()
}

for (const engine of ENGINES) {
  for (const isFolded of [true, false]) {
    const state = isFolded ? 'folded' : 'pending'
    test(
      `what the wiki hides is in no file after the next update: packs, tables, WARC, database (${state}, ${engine.name})`,
      { skip: engine.skip },
      async (t) => {
        const wiki = await startFakeWiki({ history: HISTORY })
        t.after(() => wiki.close())
        const station = await openWikiStation({ engine })
        const key = new URL(wiki.url).host
        const { id } = await addWiki(station, {
          address: wiki.apiUrl,
          pages: ['Llama'],
          keepWarc: true,
        })
        assert.equal((await untilOver(station, id)).state, 'done')
        if (isFolded) await fold(station)
        const holding = await filesWith(station.data, TEXT)
        assert.ok(holding.some((name) => name.endsWith('.warc.gz')))
        assert.equal(
          holding.some((name) => name.endsWith('.pack')),
          isFolded,
        )
        const [, second] = (await historyOf(station, key, 'Llama')).toReversed()

        const fields: ('text' | 'user' | 'comment')[] = ['text', 'user', 'comment']
        const at = new Date(station.clock.now()).toISOString().replace(/\.\d+/, '')
        wiki.perform([{ do: 'hide', title: 'Llama', revids: [second!.revId], fields, at }])
        const asked = await station.post(`/wikis/${encodeURIComponent(key)}/update`, {})
        assert.equal((await untilOver(station, (asked.body as WikiTaskView).id)).state, 'done')
        await keep(station)

        for (const secret of [TEXT, USER, COMMENT]) {
          assert.deepEqual(await filesWith(station.data, secret), [], secret)
        }
        const text = `/api/wikis/${encodeURIComponent(key)}/text`
        const read = (revId: number) =>
          station.app.inject({ url: `${text}/${revId}`, headers: { host: 'localhost' } })
        assert.equal((await read(second!.revId)).statusCode, 404)
        const [first] = (await historyOf(station, key, 'Llama')).toReversed()
        assert.equal((await read(first!.revId)).payload, 'An animal')
      },
    )
  }
}
