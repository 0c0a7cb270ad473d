/** `minga archive list`. */
import { cdxjTimestamp, writableDate } from '@minga/archive'
import type { CaptureRow } from '@minga/coordinator'
import { typedAddresses } from '../../addresses.ts'
import { EXIT } from '../../exit-codes.ts'
import { openReader } from '../../open-reader.ts'
import { formatBytes } from '../../progress.ts'
import { capturesOf } from './captures.ts'
import { requireArchive } from './folder.ts'
import { Output } from './output.ts'

interface ListOptions {
  data: string
  jsonl?: boolean
  json?: boolean
  limit?: number
}

export async function listArchive(
  typed: string | undefined,
  options: ListOptions,
): Promise<number> {
  const [url] = typedAddresses('archive list', typed === undefined ? [] : [typed])
  const reader = await openReader(requireArchive(options.data))
  const output = new Output()
  try {
    const limit = options.limit ?? Number.POSITIVE_INFINITY
    const rows = capturesOf(reader.captures, url === undefined ? {} : { url }, limit)
    const shown = await show(rows, output, options)
    await output.end()
    if (shown.revisits > 0) process.stderr.write(LEGEND)
    if (shown.rows === 0 && !options.json) process.stderr.write(`minga: no captures${ofUrl(url)}\n`)
    return EXIT.ok
  } finally {
    await reader.close()
  }
}

const ofUrl = (url: string | undefined): string => (url === undefined ? '' : ` of ${url}`)

interface Shown {
  rows: number
  /** Rows with a mark that needs its legend. */
  revisits: number
}

const LEGEND = 'minga: = unchanged: the same content as an earlier capture, stored once\n'

async function show(
  rows: AsyncIterable<CaptureRow>,
  output: Output,
  options: ListOptions,
): Promise<Shown> {
  let shown = 0
  let revisits = 0
  if (options.json) await output.write('{"captures":[')
  for await (const row of rows) {
    if (shown === 0 && !options.json && !options.jsonl) await output.write(TITLES)
    const line = options.json
      ? `${shown === 0 ? '' : ','}${JSON.stringify(rowOf(row))}`
      : options.jsonl
        ? `${JSON.stringify(rowOf(row))}\n`
        : tableLine(row)
    shown++
    if (row.kind === 'revisit' && !options.json && !options.jsonl) revisits++
    if (!(await output.write(line))) break
  }
  if (options.json) await output.write(']}\n')
  return { rows: shown, revisits }
}

/** The contract of `--jsonl`. */
function rowOf(row: CaptureRow): Record<string, string | number> {
  const { url, status, mime, digest, file, offset, length } = row
  const timestamp = cdxjTimestamp(row.capturedAt)
  return { url, timestamp, status, mime, digest, file, offset, length }
}

const TITLES = `${'TIME (UTC)'.padEnd(19)}  ${'STATUS'.padEnd(6)}  ${'TYPE'.padEnd(24)}  ${'STORED'.padStart(9)}  ADDRESS\n`

function tableLine(row: CaptureRow): string {
  const time = writableDate(row.capturedAt).toISOString().slice(0, 19).replace('T', ' ')
  const type = row.kind === 'revisit' ? `${row.mime} =` : row.mime
  const stored = formatBytes(row.length).padStart(9)
  return `${time}  ${String(row.status).padEnd(6)}  ${type.padEnd(24)}  ${stored}  ${row.url}\n`
}
