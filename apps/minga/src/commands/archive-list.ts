/** `minga archive list`. */
import { cdxjTimestamp } from '@minga/archive'
import type { CaptureRow } from '@minga/coordinator'
import { canonicalUrl } from '@minga/net'
import { openApi } from '../api.ts'
import { BadOption } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { formatBytes } from '../progress.ts'
import { capturesOf, pagesOf } from './archive-captures.ts'
import { requireArchive } from './archive-folder.ts'
import { Output } from './archive-output.ts'

interface ListOptions {
  data: string
  jsonl?: boolean
  json?: boolean
  limit?: number
}

export async function listArchive(url: string | undefined, options: ListOptions): Promise<number> {
  const api = await openApi(requireArchive(options.data))
  const output = new Output()
  try {
    const limit = options.limit ?? Number.POSITIVE_INFINITY
    const rows = capturesOf(pagesOf(api), url === undefined ? {} : { url }, limit)
    const shown = await show(rows, output, options)
    await output.end()
    if (shown === 0 && url !== undefined && canonicalUrl(url) === null) {
      throw new BadOption('archive list', 'an address such as https://example.org/', url)
    }
    if (shown === 0 && !options.json) process.stderr.write(`minga: no captures${ofUrl(url)}\n`)
    return EXIT.ok
  } finally {
    await api.close()
  }
}

const ofUrl = (url: string | undefined): string => (url === undefined ? '' : ` of ${url}`)

async function show(
  rows: AsyncIterable<CaptureRow>,
  output: Output,
  options: ListOptions,
): Promise<number> {
  let shown = 0
  if (options.json) await output.write('{"captures":[')
  for await (const row of rows) {
    if (shown === 0 && !options.json && !options.jsonl) await output.write(TITLES)
    const line = options.json
      ? `${shown === 0 ? '' : ','}${JSON.stringify(rowOf(row))}`
      : options.jsonl
        ? `${JSON.stringify(rowOf(row))}\n`
        : tableLine(row)
    shown++
    if (!(await output.write(line))) break
  }
  if (options.json) await output.write(']}\n')
  return shown
}

/** The contract of `--jsonl`. */
function rowOf(row: CaptureRow): Record<string, string | number> {
  const { url, status, mime, digest, file, offset, length } = row
  const timestamp = cdxjTimestamp(row.capturedAt)
  return { url, timestamp, status, mime, digest, file, offset, length }
}

const TITLES = `${'TIME'.padEnd(14)}  ${'STATUS'.padEnd(6)}  ${'TYPE'.padEnd(24)}  ${'STORED'.padStart(9)}  ADDRESS\n`

function tableLine(row: CaptureRow): string {
  const time = cdxjTimestamp(row.capturedAt)
  const type = row.kind === 'revisit' ? `${row.mime} =` : row.mime
  const stored = formatBytes(row.length).padStart(9)
  return `${time}  ${String(row.status).padEnd(6)}  ${type.padEnd(24)}  ${stored}  ${row.url}\n`
}
