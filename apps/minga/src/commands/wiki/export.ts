/** `minga wiki export`: histories as the XML that MediaWiki's own importer takes, or what is known of revisions as tables. */
import { BadOption, StationGone } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import { STANDARD_OUTPUT } from '../../output-place.ts'
import { formatBytes } from '../../progress.ts'
import { Output } from '../archive/output.ts'
import { requireOut, writeWhole } from './files.ts'
import { queryOf, throughWikis, wikiPath, type WikiOptions } from './folder.ts'

export interface ExportOptions extends WikiOptions {
  pages?: string
  from?: number
  until?: number
  current?: boolean
  as: 'xml' | 'csv' | 'jsonl' | 'parquet'
  out?: string
}

export async function exportWiki(wiki: string, options: ExportOptions): Promise<number> {
  const { pages, from, until, current, as, out } = options
  const isPrinted = out === undefined || out === STANDARD_OUTPUT
  if (isPrinted && options.json) throw new BadOption('--out', 'a file with --json', out ?? 'none')
  if (!isPrinted) await requireOut(out)
  const path = wikiPath(wiki, `/export${queryOf({ pages, from, until, current, as })}`)
  await throughWikis(options, async (api) => {
    const pieces = whole(await api.stream(path), { wiki, as })
    if (isPrinted) return print(pieces)
    const bytes = await writeWhole(out, pieces)
    process.stderr.write(`minga: ${wiki} exported to ${out}: ${formatBytes(bytes)}\n`)
    if (options.json) process.stdout.write(`${JSON.stringify({ wiki, file: out, bytes })}\n`)
  })
  return EXIT.ok
}

async function print(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const output = new Output()
  for await (const piece of pieces) if (!(await output.write(Buffer.from(piece)))) break
  await output.end()
}

/** How each of them ends when it is whole. */
const ENDS: Record<ExportOptions['as'], string> = {
  xml: '</mediawiki>\n',
  csv: '\r\n',
  jsonl: '\n',
  parquet: 'PAR1',
}

/** What was cut is an error of the stream, or does not end as it should. */
async function* whole(
  pieces: AsyncIterable<Uint8Array>,
  { wiki, as }: { wiki: string; as: ExportOptions['as'] },
): AsyncGenerator<Uint8Array> {
  const end = ENDS[as]
  let tail = ''
  try {
    for await (const piece of pieces) {
      tail = (tail + Buffer.from(piece.subarray(-end.length)).toString('latin1')).slice(-end.length)
      yield piece
    }
  } catch (cause) {
    throw new StationGone(`the export of ${wiki}`, { cause })
  }
  const isEmpty = as === 'jsonl' && tail === ''
  if (tail !== end && !isEmpty) throw new StationGone(`the export of ${wiki}`)
}
