// Goal: whatever is made, added, replaced, dropped, held and swept in whatever order, tables and
// files are what they should be. Method: random sequences against a model of plain lists, and
// against files on a disk; then readers, writers and a sweep without any retention in parallel.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import type { Column } from '../model.ts'
import {
  GRACE_MS,
  HOUR_MS,
  lakesOn,
  RETENTION_MS,
  type TestLake,
} from '../../test/tables/tables-fixture.ts'

/** A call of PostgreSQL takes several times as long. */
const RUNS = { SQLite: 30, PostgreSQL: 10 }
const LONG_RUNS = 500

const NAMES = ['apples', 'pears']

/** Three tables' worth of columns: each is a prefix of the next, as they grow. */
const SCHEMAS: Column[][] = [1, 2, 3].map((count) =>
  Array.from({ length: count }, (_, index) => ({ name: `c${index}`, type: 'BIGINT' })),
)

interface ModelVersion {
  version: number
  at: number
  endedAt: number | null
  columns: Column[]
  files: string[]
}

interface ModelTable {
  name: string
  isDropped: boolean
  versions: ModelVersion[]
}

interface ModelReader {
  id: string
  table: ModelTable
  version: number
  until: number
}

/** What the store should hold, as lists. */
class Model {
  tables: ModelTable[] = []
  readers: ModelReader[] = []

  named(name: string): ModelTable | undefined {
    return this.tables.find((table) => table.name === name && !table.isDropped)
  }

  change(table: ModelTable, next: Pick<ModelVersion, 'files' | 'columns'>, now: number): void {
    const last = table.versions.at(-1)
    if (last) last.endedAt = now
    const version = (last?.version ?? 0) + 1
    table.versions.push({ version, at: now, endedAt: null, ...next })
  }

  sweep(now: number): void {
    this.readers = this.readers.filter(({ until }) => until > now)
    for (const table of this.tables) {
      const before = table.isDropped ? now : now - RETENTION_MS
      table.versions = table.versions.filter(
        ({ version, endedAt }) =>
          endedAt === null ||
          endedAt > before ||
          this.readers.some((reader) => reader.table === table && reader.version === version),
      )
    }
  }

  /** Everything that some version sees, of tables that are there no more too. */
  files(): string[] {
    const seen = this.tables.flatMap(({ versions }) => versions.flatMap(({ files }) => files))
    return [...new Set(seen)].toSorted()
  }
}

type Step =
  | { type: 'create' | 'drop'; name: string }
  | { type: 'add'; name: string; count: number; schema: number; isAgain: boolean }
  | { type: 'replace'; name: string; from: number; count: number }
  | { type: 'hold'; name: string; back: number; leaseHours: number }
  | { type: 'release' | 'renew'; which: number }
  | { type: 'pass'; hours: number }
  | { type: 'litter' | 'sweep' }

const name = fc.constantFrom(...NAMES)
const small = fc.nat({ max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('create' as const), name }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('drop' as const), name }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      name,
      count: small,
      schema: fc.nat({ max: 2 }),
      isAgain: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('replace' as const),
      name,
      from: small,
      count: small,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('hold' as const),
      name,
      back: small,
      leaseHours: fc.integer({ min: 1, max: 30 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('release' as const, 'renew' as const),
      which: small,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('pass' as const), hours: fc.nat({ max: 8 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('litter' as const, 'sweep' as const) }),
  },
)

/** One run: the same steps on the lake and on the model. */
class Run {
  readonly lake: TestLake
  readonly model = new Model()
  #names = 0

  constructor(lake: TestLake) {
    this.lake = lake
  }

  async take(one: Step): Promise<void> {
    const { lake, model } = this
    // No two steps at one moment: then each moment has one version.
    lake.clock.pass(1)
    switch (one.type) {
      case 'create':
        return this.create(one.name)
      case 'drop':
        return this.drop(one.name)
      case 'add':
        return this.add(one)
      case 'replace':
        return this.replace(one)
      case 'hold':
        return this.hold(one)
      case 'release': {
        const reader = model.readers[one.which]
        if (reader) await lake.tables.release(reader.id)
        model.readers = model.readers.filter((other) => other !== reader)
        return
      }
      case 'renew': {
        const reader = model.readers[one.which]
        if (!reader) return
        // Also after its time: only a sweep takes a lease.
        assert.deepEqual(await lake.tables.renewReaders([reader.id], HOUR_MS), [])
        reader.until = lake.clock.now() + HOUR_MS
        return
      }
      case 'pass':
        return lake.clock.pass(one.hours * HOUR_MS)
      case 'litter':
        return void lake.segment(this.newFile('dead'))
      case 'sweep':
        return this.sweep()
    }
  }

  newFile(writer: string): string {
    return `tables/any/${writer}/${++this.#names}.parquet`
  }

  async create(table: string): Promise<void> {
    const { lake, model } = this
    const made = lake.tables.create({ name: table, columns: SCHEMAS[0]!, owner: null, kind: 'own' })
    if (model.named(table)) return assert.rejects(made, { code: 'MINGA_TABLE_TAKEN' })
    await made
    const fresh: ModelTable = { name: table, isDropped: false, versions: [] }
    model.tables.push(fresh)
    model.change(fresh, { files: [], columns: SCHEMAS[0]! }, lake.clock.now())
  }

  async drop(table: string): Promise<void> {
    const dropped = this.lake.tables.drop(table)
    const known = this.model.named(table)
    if (!known) return assert.rejects(dropped, { code: 'MINGA_UNKNOWN_TABLE' })
    await dropped
    known.isDropped = true
    known.versions.at(-1)!.endedAt = this.lake.clock.now()
  }

  async add(one: Extract<Step, { type: 'add' }>): Promise<void> {
    const { lake, model } = this
    const table = model.named(one.name)
    const columns = SCHEMAS[one.schema]!
    const add = Array.from({ length: one.count }, () => lake.segment(this.newFile('w')))
    const change = { table: one.name, columns, add, why: 'add' }
    if (!table) return assert.rejects(lake.tables.change(change), { code: 'MINGA_UNKNOWN_TABLE' })
    const { version } = await lake.tables.change(change)
    const last = table.versions.at(-1)!
    const grown = columns.length > last.columns.length ? columns : last.columns
    const files = [...last.files, ...add.map(({ file }) => file)]
    const isNews = add.length > 0 || grown !== last.columns
    if (isNews) model.change(table, { files, columns: grown }, lake.clock.now())
    assert.equal(version, table.versions.at(-1)!.version)
    if (one.isAgain)
      assert.deepEqual(await lake.tables.change(change), { table: one.name, version })
  }

  /** As a compaction does: neighbours become one. Fewer than two: what is named twice is gone the second time. */
  async replace(one: Extract<Step, { type: 'replace' }>): Promise<void> {
    const { lake, model } = this
    const table = model.named(one.name)
    const last = table?.versions.at(-1)
    if (!table || !last) return
    const replaces = last.files.slice(one.from, one.from + one.count)
    if (replaces.length === 0) return
    const merged = lake.segment(this.newFile('m'))
    const change = { table: one.name, columns: last.columns, add: [merged], replaces, why: 'merge' }
    await lake.tables.change(change)
    const files = last.files.toSpliced(one.from, replaces.length, merged.file)
    model.change(table, { files, columns: last.columns }, lake.clock.now())
    const late = { ...change, add: [lake.segment(this.newFile('late'))] }
    await assert.rejects(lake.tables.change(late), { code: 'MINGA_SEGMENT_GONE' })
  }

  async hold({ name: table, back, leaseHours }: Extract<Step, { type: 'hold' }>): Promise<void> {
    const { lake, model } = this
    const known = model.named(table)
    const version = (known?.versions.at(-1)?.version ?? 1) - back
    const id = `reader-${++this.#names}`
    const leaseMs = leaseHours * HOUR_MS
    const held = lake.tables.holdAs(id, { tables: [{ table, version }], who: 'test', leaseMs })
    if (!known) return assert.rejects(held, { code: 'MINGA_UNKNOWN_TABLE' })
    const meant = known.versions.find((other) => other.version === version)
    if (!meant) return assert.rejects(held, { code: 'MINGA_VERSION_GONE' })
    const [manifest] = await held
    assert.deepEqual(
      manifest!.segments.map(({ file }) => file),
      meant.files,
    )
    model.readers.push({ id, table: known, version, until: lake.clock.now() + leaseMs })
  }

  async sweep(): Promise<void> {
    const { lake, model } = this
    // All litter is old enough then.
    lake.clock.pass(2 * GRACE_MS)
    model.sweep(lake.clock.now())
    await lake.sweep()
    assert.deepEqual(lake.onDisk(), model.files())
    // Again it finds nothing.
    assert.deepEqual(await lake.sweep(), { segments: 0, strays: 0 })
  }

  async compare(): Promise<void> {
    const { tables } = this.lake
    const living = this.model.tables.filter(({ isDropped }) => !isDropped)
    const listed = await tables.list()
    assert.deepEqual(
      listed.map((view) => view.name).toSorted(),
      living.map((one) => one.name).toSorted(),
    )
    for (const table of living) {
      const versions = await tables.versions(table.name)
      assert.deepEqual(
        versions.map(({ version, at, segments, rows }) => [version, at, segments, rows]),
        table.versions
          .map(({ version, at, files }) => [version, at, files.length, 10 * files.length])
          .toReversed(),
      )
      for (const { version, at, columns, files } of table.versions) {
        const manifest = await tables.manifest(table.name, { version })
        assert.deepEqual(manifest.columns, columns)
        assert.deepEqual(
          manifest.segments.map(({ file }) => file),
          files,
        )
        assert.deepEqual(await tables.manifest(table.name, { at }), manifest)
      }
    }
  }
}

// All of them before the first test: a file whose tests have ended while it still opens a database loses that.
const opened = await Promise.all(ENGINES.map(lakesOn))

for (const [i, engine] of ENGINES.entries()) {
  const lakes = opened[i]!
  describe(`a model of tables on ${engine.name}`, { skip: engine.skip }, () => {
    after(() => lakes.close())

    test('random changes, readers and sweeps end as the model says', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
          const run = new Run(await lakes.fresh())
          for (const table of NAMES) await run.create(table)
          for (const one of steps) await run.take(one)
          await run.compare()
          await run.sweep()
          await run.compare()
        }),
        {
          numRuns: process.env['MINGA_LONG'] === '1' ? LONG_RUNS : RUNS[engine.name],
          seed: 20_260_107,
          endOnFailure: false,
        },
      )
    })

    test('a sweep in parallel to readers and writers never removes what is being read', async () => {
      const lake = await lakes.fresh()
      const { tables, files } = lake
      const columns = SCHEMAS[0]!
      await tables.create({ name: 't', columns, owner: null, kind: 'own' })
      const done = new AbortController()
      let reads = 0
      let last = ''
      // Until readers have had their turns, too, however busy the machine is.
      const isWanted = (round: number): boolean => round < 40 || (reads <= 10 && round < 4_000)
      const write = async (): Promise<void> => {
        for (let round = 0; isWanted(round); round++) {
          const { segments } = await tables.manifest('t')
          last = `tables/t/w/${round}.parquet`
          const add = [lake.segment(last)]
          const replaces = segments.map(({ file }) => file)
          await tables.change({ table: 't', columns, add, replaces, why: 'merge' })
        }
        done.abort()
      }
      const read = async (): Promise<void> => {
        while (!done.signal.aborted) {
          const held = await tables.hold([{ table: 't' }], 'test')
          await tables.list()
          for (const { file } of held.manifests[0]!.segments) {
            assert.ok(fs.existsSync(files.at(file)), file)
            reads++
          }
          await held.release()
        }
      }
      const sweep = async (): Promise<void> => {
        const living = async (): Promise<Set<string>> => new Set(['w'])
        // Not even versions of this very moment are kept.
        while (!done.signal.aborted) await tables.sweep({ retentionMs: -1, graceMs: 0, living })
      }
      await Promise.all([write(), read(), read(), sweep()])
      // Only now: leases run out with the time, and a reader that is late may still hold one.
      lake.clock.pass(2 * GRACE_MS)
      await tables.sweep({ retentionMs: 0, graceMs: 0, living: async () => new Set() })
      assert.deepEqual(lake.onDisk(), [last])
      assert.ok(reads > 10, `only ${reads} reads`)
    })
  })
}
