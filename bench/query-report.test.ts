// Goal: the published figures of queries are what was measured. Method: made-up runs whose ratios are known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryReport, type QueryRow } from './query-report.ts'

const row = (
  way: QueryRow['way'],
  seconds: number,
  { workers = null, workerBytes }: { workers?: number | null; workerBytes?: number } = {},
): QueryRow => ({
  way,
  workers,
  run: {
    seconds,
    cpuSeconds: seconds * 2,
    peakRssBytes: 1e9,
    ...(workerBytes === undefined ? {} : { peakWorkerBytes: workerBytes }),
  },
})

const books = { books: 10, reviews: 100, bookBytes: 1e6, reviewBytes: 99e6 }
const size = (rows: QueryRow[]) => ({ size: 2.5, books, rows })

test('the fastest count of workers is held against DuckDB, and what is missed says so', () => {
  const text = queryReport(
    [
      size([
        row('duckdb-csv', 10),
        row('duckdb-parquet', 2),
        row('minga-csv', 20, { workers: 1, workerBytes: 5e8 }),
        row('minga-csv', 14, { workers: 2, workerBytes: 6e8 }),
        row('minga-sentiment', 25, { workers: 2 }),
        row('minga-tables', 5, { workers: 2 }),
      ]),
    ],
    [{ workers: 1, ms: [100, 3_200, 200] }],
  )
  assert.match(
    text,
    /\*\*Minga\*\* from CSV +\| +2 \| +14 \| +1\.40× \| +28 \| +1\.40× \| +1,000 \| +600 \|/,
  )
  assert.match(text, /at most 1\.5× DuckDB from CSV, 2\.5 GB +\| +1\.40× \| +met/)
  assert.match(text, /DuckDB from its own Parquet, once imported +\| +2\.50× \| missed/)
  assert.match(text, /a worker at most 1 GiB +\| +600 MB \| +met/)
  assert.match(text, /recovery under 3 s \(p99\) +\| +3200 ms \| missed/)
  assert.match(text, /\| 1 +\| +3 \| +200 \| +3200 \| +3200 \|/)
  assert.match(text, /With sentiment 2 MB\/s of a core, without 3\.57\./)
})

test('without kills nothing is said about recovery', () => {
  assert.doesNotMatch(queryReport([size([row('duckdb-csv', 10)])], []), /recovery|SIGKILL/)
})
