// Goal: a table is exactly what committed changes made of it, at every version that can still be
// read, and nothing that a reader holds is ever removed. Method: the verbs one by one on both
// databases, with files on a disk.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { systemClock } from '@minga/protocol'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import {
  COLUMNS,
  GRACE_MS,
  HOUR_MS,
  lakesOn,
  OPERATIONS,
  RETENTION_MS,
} from '../../test/tables/tables-fixture.ts'
import { Tables } from './tables.ts'
import type { FixtureOperations } from '../../test/tables/fixture-operations.ts'

const own = { owner: 'ana', kind: 'own' as const, columns: COLUMNS }
const code = (wanted: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === wanted

// All of them before the first test: a file whose tests have ended while it still opens a database loses that.
const opened = await Promise.all(ENGINES.map(lakesOn))

for (const [i, engine] of ENGINES.entries()) {
  const lakes = opened[i]!
  describe(`tables on ${engine.name}`, { skip: engine.skip }, () => {
    after(() => lakes.close())

    test('every change is one version, and each can be read as it was', async () => {
      const lake = await lakes.fresh()
      const { tables, clock } = lake
      const times = [clock.now()]
      assert.equal((await tables.create({ name: 't', ...own })).version, 1)
      for (const files of [['tables/t/w1/0', 'tables/t/w1/1'], ['tables/t/w2/0']]) {
        clock.pass(HOUR_MS)
        times.push(clock.now())
        await lake.add('t', ...files)
      }
      const filesAt = async (when: object) =>
        (await tables.manifest('t', when)).segments.map(({ file }) => file)
      assert.deepEqual(await filesAt({ version: 1 }), [])
      assert.deepEqual(await filesAt({ version: 2 }), ['tables/t/w1/0', 'tables/t/w1/1'])
      assert.deepEqual(await filesAt({ at: times[1]! + 1 }), ['tables/t/w1/0', 'tables/t/w1/1'])
      assert.deepEqual(await filesAt({ at: times[2]! - 1 }), ['tables/t/w1/0', 'tables/t/w1/1'])
      assert.equal((await filesAt({ at: times[2]! })).length, 3)
      assert.equal((await filesAt({})).length, 3)
      await assert.rejects(filesAt({ at: times[0]! - 1 }), code('MINGA_VERSION_GONE'))
      await assert.rejects(filesAt({ version: 4 }), code('MINGA_VERSION_GONE'))
      const versions = await tables.versions('t')
      assert.deepEqual(
        versions.map(({ version, rows, segments }) => [version, rows, segments]),
        [
          [3, 30, 3],
          [2, 20, 2],
          [1, 0, 0],
        ],
      )
      assert.deepEqual(
        (await tables.versions('t', { before: 3, most: 1 })).map(({ version }) => version),
        [2],
      )
    })

    test('the same segment comes in once, however often it is added', async () => {
      const lake = await lakes.fresh()
      await lake.tables.create({ name: 't', ...own })
      await lake.add('t', 'tables/t/w/0', 'tables/t/w/1')
      assert.equal(await lake.add('t', 'tables/t/w/0', 'tables/t/w/1'), 2)
      assert.equal(await lake.add('t', 'tables/t/w/1', 'tables/t/w/2'), 3)
      // Also when it was replaced in the meantime, and the replacement as well.
      const merge = {
        table: 't',
        columns: COLUMNS,
        add: [lake.segment('tables/t/m/0', 20)],
        replaces: ['tables/t/w/0', 'tables/t/w/1'],
        why: 'merge',
      }
      assert.equal((await lake.tables.change(merge)).version, 4)
      assert.equal((await lake.tables.change(merge)).version, 4)
      assert.equal(await lake.add('t', 'tables/t/w/0'), 4)
      const { segments } = await lake.tables.manifest('t')
      assert.deepEqual(
        segments.map(({ file }) => file),
        ['tables/t/m/0', 'tables/t/w/2'],
      )
      await lake.tables.create({ name: 'other', ...own })
      await assert.rejects(lake.add('other', 'tables/t/w/2'), code('MINGA_BAD_TABLE'))
    })

    test('replacing removes exactly what it names, or changes nothing', async () => {
      const lake = await lakes.fresh()
      await lake.tables.create({ name: 't', ...own })
      await lake.add('t', 'a', 'b', 'c', 'd')
      const replace = (replaces: string[] | 'all', ...add: string[]) =>
        lake.tables.change({
          table: 't',
          columns: COLUMNS,
          add: add.map((file) => lake.segment(file)),
          replaces,
          why: 'test',
        })
      await replace(['c', 'b'], 'bc')
      await assert.rejects(replace(['a', 'b'], 'ab'), code('MINGA_SEGMENT_GONE'))
      await assert.rejects(replace(['nothing'], 'x'), code('MINGA_SEGMENT_GONE'))
      await assert.rejects(replace(['bc'], 'x', 'y'), code('MINGA_BAD_TABLE'))
      const { segments, version } = await lake.tables.manifest('t')
      assert.equal(version, 3)
      assert.deepEqual(
        segments.map(({ file }) => file),
        ['a', 'bc', 'd'],
      )
      // All of it may become more than it was.
      await replace('all', 'x', 'y', 'z', 'zz')
      const whole = await lake.tables.describe('t')
      assert.deepEqual([whole.segments, whole.rows, whole.bytes], [4, 40, 5])
    })

    test('columns may become more but never change their type', async () => {
      const lake = await lakes.fresh()
      const { tables } = lake
      await tables.create({ name: 't', ...own })
      const change = (columns: { name: string; type: string }[], file: string) =>
        tables.change({ table: 't', columns, add: [lake.segment(file)], why: 'test' })
      await change([{ name: 'a', type: 'bigint' }], 'narrow')
      await change([...COLUMNS, { name: 'c', type: 'DOUBLE' }], 'wide')
      await assert.rejects(
        change([{ name: 'A', type: 'VARCHAR' }], 'wrong'),
        /Column "A" of table "t" is BIGINT and cannot become VARCHAR/,
      )
      const namesAt = async (version: number) =>
        (await tables.manifest('t', { version })).columns.map(({ name }) => name)
      assert.deepEqual(await namesAt(2), ['a', 'b'])
      assert.deepEqual(await namesAt(3), ['a', 'b', 'c'])
    })

    test('changes of several tables happen together or not at all', async () => {
      const lake = await lakes.fresh()
      const { store, clock } = lake
      await lake.tables.create({ name: 'old', ...own })
      const apply = (type: string) =>
        store.call('lakeApplyTwo', {
          now: clock.now(),
          changes: [
            {
              table: 'fresh',
              columns: COLUMNS,
              add: [lake.segment('f')],
              why: 'import',
              makes: { owner: 'ana', kind: 'own' },
            },
            {
              table: 'old',
              columns: [{ name: 'a', type }],
              add: [lake.segment('o')],
              why: 'import',
            },
          ],
        })
      // The caller lives on: it notes the refusal in the same transaction.
      assert.equal(await apply('DATE'), 'MINGA_COLUMN_CHANGED')
      assert.deepEqual(
        (await lake.tables.list()).map(({ name, version }) => [name, version]),
        [['old', 1]],
      )
      assert.equal(await apply('BIGINT'), 'done')
      assert.deepEqual(
        (await lake.tables.list()).map(({ name, rows }) => [name, rows]),
        [
          ['fresh', 10],
          ['old', 10],
        ],
      )
      assert.equal(await apply('BIGINT'), 'done')
    })

    test('a name has one table, and is free when that is dropped', async () => {
      const lake = await lakes.fresh()
      const { tables } = lake
      await tables.create({ name: 't', ...own })
      await assert.rejects(tables.create({ name: 't', ...own }), code('MINGA_TABLE_TAKEN'))
      await assert.rejects(tables.create({ name: 'T', ...own }), code('MINGA_BAD_TABLE'))
      const foreign = {
        table: 't',
        columns: COLUMNS,
        add: [],
        why: 'test',
        makes: { owner: 'ben', kind: 'own' as const },
      }
      await assert.rejects(tables.change(foreign), code('MINGA_TABLE_TAKEN'))
      await lake.add('t', 'tables/t/w/0')
      await tables.drop('t')
      await assert.rejects(tables.manifest('t'), code('MINGA_UNKNOWN_TABLE'))
      await assert.rejects(tables.drop('t'), code('MINGA_UNKNOWN_TABLE'))
      await assert.rejects(lake.add('t', 'tables/t/w/1'), code('MINGA_UNKNOWN_TABLE'))
      await tables.change(foreign)
      const view = await tables.describe('t')
      assert.deepEqual([view.owner, view.version, view.rows], ['ben', 1, 0])
      // No reader holds the dropped one: its file goes though it is young.
      assert.equal((await lake.sweep()).segments, 1)
      assert.deepEqual(lake.onDisk(), ['tables/t/w/1'])
    })

    test('adders in parallel lose nothing of each other', async () => {
      const lake = await lakes.fresh()
      await lake.tables.create({ name: 't', ...own })
      // PostgreSQL serves several coordinators at once.
      const change = { operations: OPERATIONS, writer: 'w2' }
      const second =
        engine.name === 'PostgreSQL'
          ? await lake.home.openHere<FixtureOperations>(change)
          : lake.store
      const others = new Tables({
        store: second,
        files: lake.files,
        clock: systemClock,
        newId: () => 'x',
      })
      const add = (tables: Tables, file: string) =>
        tables.change({ table: 't', columns: COLUMNS, add: [lake.segment(file)], why: 'test' })
      const files = Array.from({ length: 20 }, (_, index) => `tables/t/w/${index}`)
      const made = await Promise.all(
        files.map((file, index) => add(index % 2 === 0 ? lake.tables : others, file)),
      )
      if (second !== lake.store) await second.close()
      const versions = made.map(({ version }) => version).toSorted((a, b) => a - b)
      assert.deepEqual(
        versions,
        files.map((_, index) => index + 2),
      )
      const { segments } = await lake.tables.manifest('t')
      assert.deepEqual(segments.map(({ file }) => file).toSorted(), files.toSorted())
    })

    test('what a reader holds stays until it lets go', async () => {
      const lake = await lakes.fresh()
      const { tables, clock } = lake
      await tables.create({ name: 't', ...own })
      await lake.add('t', 'tables/t/w/0', 'tables/t/w/1')
      clock.pass(HOUR_MS)
      await tables.holdAs('early', {
        tables: [{ table: 't' }],
        who: 'test',
        leaseMs: 100 * HOUR_MS,
      })
      const merge = {
        table: 't',
        columns: COLUMNS,
        add: [lake.segment('tables/t/m/0')],
        replaces: ['tables/t/w/0', 'tables/t/w/1'],
        why: 'merge',
      }
      await tables.change(merge)
      const merged = clock.now()
      clock.pass(HOUR_MS)
      await lake.add('t', 'tables/t/w/2')
      clock.pass(RETENTION_MS + 1)
      assert.deepEqual(await lake.sweep(), { segments: 0, strays: 0 })
      // Versions 1 and 3 are gone, 2 is held, 4 is today's.
      assert.deepEqual(
        (await tables.versions('t')).map(({ version }) => version),
        [4, 2],
      )
      await assert.rejects(tables.manifest('t', { version: 1 }), code('MINGA_VERSION_GONE'))
      // Of the moment of version 3 there is nothing, though the one before it is still there.
      await assert.rejects(tables.manifest('t', { at: merged + 1 }), code('MINGA_VERSION_GONE'))
      await tables.release('early')
      assert.deepEqual(await lake.sweep(), { segments: 2, strays: 0 })
      assert.deepEqual(lake.onDisk(), ['tables/t/m/0', 'tables/t/w/2'])
      const late = tables.holdAs('late', { tables: [{ table: 't', version: 2 }], who: 'test' })
      await assert.rejects(late, code('MINGA_VERSION_GONE'))
    })

    test('a reader that does not renew loses its lease, and gets an error', async () => {
      const lake = await lakes.fresh()
      const { tables, clock } = lake
      for (const name of ['t', 'u']) await tables.create({ name, ...own })
      await lake.add('t', 'tables/t/w/0')
      const held = await tables.holdAs('r', { tables: 'all', who: 'test', leaseMs: HOUR_MS })
      assert.deepEqual(
        held.map(({ table, version }) => [table, version]),
        [
          ['t', 2],
          ['u', 1],
        ],
      )
      await tables.drop('t')
      // Taking one of them again is for all.
      clock.pass(HOUR_MS / 2)
      const more = { tables: [{ table: 'u' }], who: 'test', leaseMs: 2 * HOUR_MS }
      await tables.holdAs('r', more)
      clock.pass(HOUR_MS)
      assert.equal((await lake.sweep()).segments, 0)
      clock.pass(HOUR_MS + 1)
      // Late, but no sweep has run: it is valid again.
      assert.deepEqual(await tables.renewReaders(['r'], HOUR_MS), [])
      assert.equal((await lake.sweep()).segments, 0)
      clock.pass(HOUR_MS + 1)
      assert.equal((await lake.sweep()).segments, 1)
      assert.deepEqual(await tables.renewReaders(['r', 'never']), ['never', 'r'])
    })

    test('a held table is renewed in the background until it is released', async () => {
      const lake = await lakes.fresh()
      const { store, files } = lake
      await lake.tables.create({ name: 't', ...own })
      await lake.add('t', 'tables/t/w/0')
      let now = systemClock.now()
      let wakes: (() => void)[] = []
      const clock = {
        now: () => now,
        sleep: (_: number, signal?: AbortSignal) =>
          new Promise<void>((resolve) => {
            wakes.push(resolve)
            signal?.addEventListener('abort', () => resolve())
          }),
      }
      const tables = new Tables({ store, files, clock, newId: () => 'reader' })
      const held = await tables.hold([{ table: 't' }], 'test')
      await tables.drop('t')
      for (let round = 0; round < 5; round++) {
        now += 200_000
        for (const wake of wakes.splice(0)) wake()
        while (wakes.length === 0) await systemClock.sleep(1)
        const counts = await tables.sweep({ graceMs: 0, living: async () => new Set() })
        assert.equal(counts.segments, 0)
      }
      assert.ok(!held.signal.aborted)
      now += HOUR_MS
      await tables.sweep({ living: async () => new Set() })
      wakes.splice(0).forEach((wake) => wake())
      while (!held.signal.aborted) await systemClock.sleep(1)
      wakes = []
      await held.release()
      assert.deepEqual(lake.onDisk(), [])
    })

    test('files that no writer can commit go, and those of living writers stay', async () => {
      const lake = await lakes.fresh()
      const { tables, clock } = lake
      await tables.create({ name: 't', ...own })
      const writer = await tables.beginWriting('t')
      lake.segment(`${writer.folder}/0.parquet`)
      lake.segment('tables/t/dead-query/0-1-rows.parquet')
      lake.segment('tables/t/dead-query/.work-0-1/spill.tmp')
      lake.segment('tables/t/living-query/0-2-rows.parquet.partial')
      await lake.add('t', 'tables/t/done-query/0')
      assert.equal((await lake.sweep(['living-query'])).strays, 0, 'they are too young')
      clock.pass(2 * GRACE_MS)
      await lake.store.call('lakeRenewWriter', { writer: writer.writer, until: clock.now() + 1 })
      assert.equal((await lake.sweep(['living-query'])).strays, 2)
      assert.deepEqual(lake.onDisk(), [
        'tables/t/done-query/0',
        `${writer.folder}/0.parquet`,
        'tables/t/living-query/0-2-rows.parquet.partial',
      ])
      clock.pass(2)
      assert.equal((await lake.sweep()).strays, 2)
      // The writer stood still for too long: what it wrote is gone, and it cannot make it a segment.
      const change = {
        table: 't',
        columns: COLUMNS,
        add: [{ file: `${writer.folder}/0.parquet`, rows: 1, bytes: 1 }],
        why: 'fold',
        writer: writer.writer,
      }
      await assert.rejects(tables.change(change), code('MINGA_WRITER_GONE'))
      await writer.end()
      clock.pass(2 * GRACE_MS)
      await lake.sweep()
      assert.deepEqual(
        (await lake.files.folders('tables/t')).map(({ name }) => name),
        ['tables/t/done-query'],
      )
    })

    test('segments without rows are no part of a table', async () => {
      const lake = await lakes.fresh()
      await lake.tables.create({ name: 't', ...own })
      const add = [lake.segment('tables/t/w/0', 0), lake.segment('tables/t/w/1', 5)]
      await lake.tables.change({ table: 't', columns: COLUMNS, add, why: 'test' })
      const { segments } = await lake.tables.manifest('t')
      assert.deepEqual(
        segments.map(({ file }) => file),
        ['tables/t/w/1'],
      )
      lake.clock.pass(2 * GRACE_MS)
      assert.deepEqual(await lake.sweep(), { segments: 0, strays: 1 })
    })
  })
}
