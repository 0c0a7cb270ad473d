// Goal: a user who imports a file can see first what the import would do. Method: whole stations on
// both databases; the preview of a file is compared with its import.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ImportPreview, QueryView, TableView } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { sharedLake, type LakeStation } from '../../test/lake/lake-fixture.ts'

const OPERATOR = TOKENS.apiKey
const CITIES =
  'name,people,founded\nQuito,2000000,1534\nLima,10000000,1535\n,5,1500\nCusco,many,1100\n'
const RULES = {
  columns: {
    city: { from: 'name', type: 'text', isRequired: true },
    people: { type: 'integer' },
  },
}

const preview = (lake: LakeStation, who: string, body: object): Promise<ImportPreview> =>
  lake.ok(who, 'POST', '/tables/preview', body)

// Before the first test: a runner that has run all it knows of takes the file for done, and closes them.
const lakes = await Promise.all(ENGINES.map((engine) => sharedLake({ engine })))

for (const [i, engine] of ENGINES.entries()) {
  const shared = lakes[i]!

  describe(`previews of imports on ${engine.name}`, { skip: engine.skip }, () => {
    test('a preview shows rows, types and rejects with their lines, and keeps nothing', async () => {
      const lake = await shared()
      const upload = await lake.upload(OPERATOR, 'cities.csv', CITIES)
      const shown = await preview(lake, OPERATOR, { input: { upload }, rules: RULES })
      assert.deepEqual(
        { ...shown, rules: null },
        {
          format: 'csv',
          bytes: Buffer.byteLength(CITIES),
          rules: null,
          columns: [
            { name: 'city', type: 'VARCHAR' },
            { name: 'people', type: 'BIGINT' },
          ],
          rows: [
            ['Quito', 2_000_000],
            ['Lima', 10_000_000],
            ['Cusco', null],
          ],
          rowsRead: 4,
          rowsKept: 3,
          isWhole: true,
          rejects: [
            {
              reason: 'city:missing',
              count: 1,
              field: 'city',
              outcome: 'dropped',
              examples: [{ line: 4, text: '' }],
            },
            {
              reason: 'people:not-a-number',
              count: 1,
              field: 'people',
              outcome: 'emptied',
              examples: [{ line: 5, text: 'many' }],
            },
          ],
        },
      )
      assert.deepEqual(await lake.ownTables(OPERATOR), [] as TableView[])
      const message = { input: { upload }, rules: RULES }
      const begun = await lake.call(OPERATOR, 'POST', '/tables/cities/import', message)
      await lake.work()
      const { rejects } = await lake.view(OPERATOR, (begun.body as QueryView).id)
      const told = shown.rejects.map(({ reason, count }) => [reason, count])
      assert.deepEqual(rejects, Object.fromEntries(told))
    })

    test('column types are inferred where no rules are given, and given types hold', async () => {
      const lake = await shared()
      const path = lake.write('cities.csv', CITIES)
      const found = await preview(lake, OPERATOR, { input: { path }, rows: 2 })
      assert.deepEqual(
        [found.isWhole, found.rowsRead, found.rejects],
        [false, 2, [] as ImportPreview['rejects']],
      )
      const types = { people: 'integer' }
      const told = await preview(lake, OPERATOR, { input: { path }, types })
      assert.equal(told.rules.columns['people']?.type, 'integer')
      assert.deepEqual(
        told.rejects.map(({ reason }) => reason),
        ['people:not-a-number'],
      )
    })

    test('users cannot preview files of others, and a bad file is refused with its code', async () => {
      const lake = await shared()
      const [ana, bea] = [await lake.someone('collector'), await lake.someone('collector')]
      const reader = await lake.someone('reader')
      const upload = await lake.upload(ana, 'cities.csv', CITIES)
      const outcome = (who: string, input: object) =>
        lake.outcome(who, 'POST', '/tables/preview', { input })
      assert.equal(await outcome(bea, { upload }), '404 MINGA_NO_SUCH_UPLOAD')
      assert.equal(await outcome(reader, { upload }), '403 MINGA_FORBIDDEN')
      const path = lake.write('a.csv', 'a\n1\n')
      assert.equal(await outcome(ana, { path }), '403 MINGA_OUTSIDE_INPUT')
      assert.equal(await outcome(ana, { table: 'captures' }), '409 MINGA_TABLE_NOT_FOR_THIS')
      const torn = await lake.upload(ana, 'torn.parquet', 'PAR1 and nothing else')
      assert.equal(await outcome(ana, { upload: torn }), '400 MINGA_BAD_INPUT')
      const empty = await lake.upload(ana, 'empty.csv', '')
      assert.equal(await outcome(ana, { upload: empty }), '400 MINGA_BAD_INPUT')
    })

    test('long values are cut, and more than two at a time are asked to come back', async () => {
      const lake = await shared()
      const upload = await lake.upload(OPERATOR, 'long.csv', `a,b\n${'x'.repeat(5_000)},[1]\n`)
      const asked = () => lake.outcome(OPERATOR, 'POST', '/tables/preview', { input: { upload } })
      const outcomes = await Promise.all([asked(), asked(), asked(), asked()])
      assert.equal(outcomes.filter((said) => said === '429 MINGA_PREVIEW_BUSY').length, 2)
      const { rows } = await preview(lake, OPERATOR, { input: { upload } })
      assert.equal(String(rows[0]![0]).length, 201)
    })

    test('what an import left out is counted by reason, however few rows are shown', async () => {
      const lake = await shared()
      const upload = await lake.upload(OPERATOR, 'cities.csv', `${CITIES},6,1600\n`)
      const message = { input: { upload }, rules: RULES }
      await lake.call(OPERATOR, 'POST', '/tables/cities/import', message)
      await lake.work()
      const { rows, reasons } = await lake.ok<{ rows: unknown[]; reasons: object }>(
        OPERATOR,
        'GET',
        '/tables/cities/rejects?limit=1',
      )
      assert.deepEqual([rows.length, reasons], [1, { 'city:missing': 2 }])
    })
  })
}
