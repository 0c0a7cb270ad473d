// Goal: each capture of a collection with rules is one row of its table or one reject with reasons,
// also what was gathered before the rules came, and hostile rules and pages cost only themselves.
// Method: small crawls of a synthetic shop on a whole station, on both engines; the tables read by
// plain SQL.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import type { CollectionRequest } from '@minga/protocol'
import { ENGINES, skipRepeats } from '../../../../../packages/store/test/contract-engines.ts'
import {
  assertRefused,
  openStation,
  type TestStation,
  type Web,
} from '../../../test/station-fixture.ts'

const product = (name: string, price: string, ...tags: string[]): { body: string } => ({
  body: `<title>${name}</title><h1> ${name}\n </h1><b class="price" data-amount="${price}">${price} $</b>
    <ul>${tags.map((tag) => `<li>${tag}</li>`).join('')}</ul><script>h1</script>`,
})

const webOf = (host: string): Web => ({
  [`http://${host}/`]: { body: '<a href="/p/1">1</a><a href="/p/2">2</a><a href="/p/3">3</a>' },
  [`http://${host}/p/1`]: product(`Lamp of ${host}`, '12.50', 'light', 'home'),
  [`http://${host}/p/2`]: product(`Chair of ${host}`, 'much'),
  [`http://${host}/p/3`]: { body: `nothing of ${host}` },
})

const RULES = {
  match: { url: '/p/\\d+$', mime: 'html' },
  rules: [
    { field: 'name', from: 'css', select: 'h1', isRequired: true },
    { field: 'price', from: 'css', select: '.price', attribute: 'data-amount', type: 'number' },
    { field: 'tags', from: 'css', select: 'li', list: true },
    { field: 'number', from: 'url', select: '/p/(\\d+)', type: 'integer' },
    { field: 'kind', from: 'header', select: 'Content-Type' },
    { field: 'currency', from: 'regex', select: '\\d ([$€])' },
  ],
} satisfies Omit<NonNullable<CollectionRequest['extract']>, 'table'>

async function ask(station: TestStation, table: string, select: string): Promise<unknown[][]> {
  const { extracts, tables } = station.lake
  await extracts.flush([table])
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const from = tables.selectOf(await tables.manifest(table))
  const answer = await connection.runAndReadAll(`SELECT ${select} FROM (${from}) ORDER BY ALL`)
  const rows = answer.getRowsJson()
  connection.closeSync()
  instance.closeSync()
  return rows
}

for (const engine of ENGINES) {
  describe(`Scraping on ${engine.name}`, { skip: engine.skip }, async () => {
    const station = await openStation({ engine, hasLake: true })
    const seeds = ['http://shop.test/']

    test('captures become rows by the rules, and rejects with the reason of each', async () => {
      const extract = { table: 'products', ...RULES }
      await station.crawl({ seeds, extract }, webOf('shop.test'))
      assert.deepEqual(
        await ask(station, 'products', 'number, url, name, price, tags, kind, currency'),
        [
          [
            '1',
            'http://shop.test/p/1',
            'Lamp of shop.test',
            12.5,
            ['light', 'home'],
            'text/html',
            '$',
          ],
          ['2', 'http://shop.test/p/2', 'Chair of shop.test', null, [], 'text/html', null],
        ],
      )
      assert.deepEqual(await ask(station, 'products_rejects', 'url, reason, is_dropped'), [
        ['http://shop.test/p/2', 'price:not-a-number', false],
        ['http://shop.test/p/3', 'name:missing', true],
      ])
    })

    test('nothing comes twice, and what was gathered before the rules came is scraped as well', async () => {
      await station.lake.extracts.flush(['products'])
      assert.equal((await ask(station, 'products', 'url')).length, 2)
      const old = ['http://old.test/']
      await station.crawl({ seeds: old }, webOf('old.test'))
      const extract = { table: 'later', ...RULES }
      await station.collect({ seeds: old, delayMs: 0, extract, existing: 'change' })
      assert.deepEqual(await ask(station, 'later', 'name'), [
        ['Chair of old.test'],
        ['Lamp of old.test'],
      ])
    })

    test('JSON is scraped by paths', { skip: skipRepeats(engine) }, async () => {
      const url = 'http://api.test/items'
      const body = JSON.stringify({ items: [{ name: 'a', 'in stock': true }, { name: 'b' }] })
      const extract: CollectionRequest['extract'] = {
        table: 'items',
        rules: [
          { field: 'names', from: 'json', select: '$.items[*].name', list: true },
          { field: 'stocked', from: 'json', select: '$.items[0]["in stock"]', type: 'boolean' },
          { field: 'none', from: 'json', select: '$.items[7].name' },
        ],
      }
      const web = { [url]: { body, type: 'application/json' } }
      await station.crawl({ seeds: [url], scope: 'page', extract }, web)
      assert.deepEqual(await ask(station, 'items', 'names, stocked, none'), [
        [['a', 'b'], true, null],
      ])
    })

    test(
      'an expression that never ends costs its page, and the others are scraped',
      { skip: skipRepeats(engine) },
      async () => {
        const web = {
          'http://slow.test/': { body: '<a href="/bad">x</a><a href="/good">x</a>' },
          'http://slow.test/bad': { body: `${'a'.repeat(40)}!` },
          'http://slow.test/good': { body: 'aaa' },
        }
        const rules = [{ field: 'found', from: 'regex' as const, select: '^(a+)+$' }]
        const extract = { table: 'slow', rules, match: { url: 'bad|good' } }
        await station.crawl({ seeds: ['http://slow.test/'], extract }, web)
        assert.deepEqual(await ask(station, 'slow', 'url, found'), [
          ['http://slow.test/good', 'aaa'],
        ])
        assert.deepEqual(await ask(station, 'slow_rejects', 'url, reason'), [
          ['http://slow.test/bad', 'page:too-slow'],
        ])
      },
    )

    test('rows of captures that were taken down go with them', async () => {
      const urls = ['http://shop.test/p/1', 'http://shop.test/p/3']
      const said = await station.post('/takedowns', { urls, versions: 'all', reason: 'asked' })
      assert.equal(said.status, 200, JSON.stringify(said.body))
      assert.deepEqual(await ask(station, 'products', 'name'), [['Chair of shop.test']])
      assert.deepEqual(await ask(station, 'products_rejects', 'reason'), [['price:not-a-number']])
    })

    test('invalid rules are refused before anything is gathered', async () => {
      const rules = (rule: object): object => ({
        seeds,
        extract: { table: 'bad', rules: [{ field: 'a', ...rule }] },
      })
      const said = await station.post('/collections', rules({ from: 'json', select: '$..a' }))
      assertRefused(said, '400 MINGA_BAD_EXTRACT', /is no path in JSON/)
      const css = await station.post('/collections', rules({ from: 'css', select: '<h1>' }))
      assertRefused(css, '400 MINGA_BAD_SELECTOR', /<h1>/)
      const own = { table: 'captures', rules: RULES.rules }
      const taken = await station.post('/collections', { seeds, extract: own })
      assertRefused(taken, '409 MINGA_TABLE_TAKEN', /captures/)
      const regex = await station.post('/collections', rules({ from: 'regex', select: '(' }))
      assert.equal(regex.status, 400, JSON.stringify(regex.body))
    })
  })
}
