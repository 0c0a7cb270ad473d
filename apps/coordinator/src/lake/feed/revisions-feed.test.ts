// Goal: the table `revisions` says what the wikis' histories say now, and nothing that a wiki has hidden, in no file
// of the lake. Method: a fake wiki is gathered by a whole station, edited and made to hide something; the table is read
// by plain SQL after each step.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import type { WikiTaskView } from '@minga/protocol'
import { startFakeWiki } from '@minga/testkit'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import type { TestStation } from '../../../test/station-fixture.ts'
import { filesWith } from '../../../test/archive/takedown/traces-fixture.ts'
import {
  addWiki,
  historyOf,
  openWikiStation,
  pass,
  untilOver,
} from '../../../test/wiki/wiki-fixture.ts'

const SECRET = 'AnaTheEditor'

async function rowsOf(station: TestStation): Promise<unknown[][]> {
  const { feeds, tables } = station.lake
  await feeds.flush(['revisions'])
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const from = tables.selectOf(await tables.manifest('revisions'))
  const answer = await connection.runAndReadAll(
    `SELECT title, strftime("at", '%H'), "user", size FROM (${from}) ORDER BY rev_id`,
  )
  const rows = answer.getRowsJson()
  connection.closeSync()
  instance.closeSync()
  return rows
}

for (const engine of ENGINES) {
  test(
    `revisions follow their wiki, and what it hides leaves every file of the lake (${engine.name})`,
    { skip: engine.skip },
    async (t) => {
      const edit = { do: 'edit', title: 'Llama' } as const
      const wiki = await startFakeWiki({
        history: [
          { ...edit, text: 'An animal', user: 'Bo', at: '2020-01-01T00:00:00Z' },
          { ...edit, text: 'An animal!', user: SECRET, at: '2020-01-01T01:00:00Z' },
        ],
      })
      t.after(() => wiki.close())
      const station = await openWikiStation({ engine })
      const key = encodeURIComponent(new URL(wiki.url).host)
      const { id } = await addWiki(station, { address: wiki.apiUrl, pages: ['Llama'] })
      assert.equal((await untilOver(station, id)).state, 'done')
      assert.deepEqual(await rowsOf(station), [
        ['Llama', '00', 'Bo', '9'],
        ['Llama', '01', SECRET, '10'],
      ])
      const { version } = await station.lake.tables.describe('revisions')
      await rowsOf(station)
      assert.equal((await station.lake.tables.describe('revisions')).version, version)

      const update = async (): Promise<void> => {
        const asked = await station.post(`/wikis/${key}/update`, {})
        assert.equal((await untilOver(station, (asked.body as WikiTaskView).id)).state, 'done')
      }
      wiki.perform([{ ...edit, text: 'An animal.', user: 'Cy', at: '2020-01-01T02:00:00Z' }])
      await update()
      assert.equal((await rowsOf(station)).length, 3)
      const lake = join(station.data, 'lake')
      assert.notDeepEqual(await filesWith(lake, SECRET), [])

      const host = new URL(wiki.url).host
      const [, second] = (await historyOf(station, host, 'Llama')).toReversed()
      const at = new Date(station.clock.now()).toISOString().replace(/\.\d+/, '')
      wiki.perform([{ do: 'hide', title: 'Llama', revids: [second!.revId], fields: ['user'], at }])
      await update()
      await until(async () => {
        await pass(station, 61_000)
        await station.lake.feeds.close()
        return (await filesWith(lake, SECRET)).length === 0
      })
      assert.deepEqual(
        (await rowsOf(station)).map(([, , user]) => user),
        ['Bo', null, 'Cy'],
      )
    },
  )
}

/** Wikis are updated outside of the ticks. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 240; tries++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error('it does not come to be')
}
