// Goal: every table whose rows belong to a collection is limited for viewers or named as one that they never read, and
// what is limited costs nothing where nothing is hidden. Method: the real store, its schema and its query plans.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Operation, Sql } from '@minga/store'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import {
  probe,
  type ProbeOperations,
} from '../../../test/accounts/visibility/limited-sql-fixture.ts'
import { isLimited, LIMITED_TABLES, limitSql, NOT_READ } from './limited-sql.ts'

const NOBODY = { account: null, isReader: true }

const TABLES: Record<Sql['dialect'], string> = {
  sqlite: `SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) p
    WHERE m.type = 'table' AND p.name IN ('collection_id', 'capture_id', 'wiki_id')`,
  postgres: `SELECT table_name AS name FROM information_schema.columns
    WHERE column_name IN ('collection_id', 'capture_id', 'wiki_id') AND table_schema = 'public'`,
}

for (const engine of ENGINES) {
  describe(`limits on ${engine.name}`, { skip: engine.skip }, () => {
    const run = async <R>(operation: Operation<unknown, R>): Promise<R> => {
      const home = await engine.home()
      const operations = new URL(
        '../../../test/accounts/visibility/limited-sql-fixture.ts',
        import.meta.url,
      ).href
      const store = await home.openHere<ProbeOperations<R>>({ operations })
      probe.operation = operation
      const value = await store.call('probe', {})
      await store.close()
      return value
    }

    test('no table of a collection, a capture or a wiki is forgotten', async () => {
      const names = await run(async (sql) => {
        const rows = await sql.all<{ name: string }>(TABLES[sql.dialect])
        return rows.map(({ name }) => name)
      })
      const forgotten = [...new Set(names)].filter(
        (name) => !LIMITED_TABLES.has(name) && NOT_READ[name] === undefined,
      )
      assert.deepEqual(forgotten, [])
    })

    test('where nothing is hidden the store itself is read', async () => {
      const kinds = await run(async (sql) => {
        const before = isLimited(await limitSql(sql, NOBODY))
        await sql.run(
          `INSERT INTO collections (id, identity, visibility, spec, state, created_at)
           VALUES (1, 'a', 'private', '{}', 'running', 0)`,
        )
        return [before, isLimited(await limitSql(sql, NOBODY))]
      })
      assert.deepEqual(kinds, [false, true])
    })

    test('a viewer writes nothing, not even by a question that does', async () => {
      await run(async (sql) => {
        await sql.run(
          `INSERT INTO collections (id, identity, visibility, spec, state, created_at)
           VALUES (1, 'a', 'private', '{}', 'running', 0)`,
        )
        const limited = await limitSql(sql, NOBODY)
        const code = { code: 'MINGA_STORE_MISUSED' }
        assert.throws(() => limited.run('DELETE FROM collections'), code)
        assert.throws(() => limited.all('DELETE FROM collections RETURNING id'), code)
        const rows = await limited.all('WITH x AS (SELECT id FROM collections) SELECT id FROM x')
        assert.deepEqual(rows, [])
        const some = { table: 'collections', keys: ['id'], rows: [[1]], columns: ['id'] }
        assert.deepEqual(await limited.selectMany(some), [undefined])
      })
    })
  })
}
