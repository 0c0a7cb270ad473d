/**
 * A batch's captures as one WARC file: their own bytes as they stand in the archive. Where a
 * capture only refers to an earlier one with the same payload, that one travels along.
 */
import { warcinfoMember } from '@minga/archive'
import type { CaptureRow, ResultLine } from '@minga/protocol'
import { findPlace } from './captures/capture-content.ts'
import { NoSuchCapture } from './errors.ts'
import { SOFTWARE } from '../station/identity.ts'
import { readMember } from './repair/read-member.ts'
import { TakenDown } from './takedown/errors.ts'
import type { Station } from '../station/station.ts'

export async function* batchWarc(
  context: Station,
  args: { id: string; lines: AsyncIterable<ResultLine> },
): AsyncGenerator<Buffer> {
  yield warcinfoMember({
    id: crypto.randomUUID(),
    createdAt: context.clock.now(),
    fileName: `${args.id}.warc.gz`,
    software: SOFTWARE,
    isPartOf: args.id,
  })
  const written = new Set<string>()
  for await (const line of args.lines) {
    const found = await recordsOf(context, line)
    for (const row of found) {
      const place = `${row.file} ${row.offset}`
      if (written.has(place)) continue
      written.add(place)
      yield readMember(context.data, row, found[0]!)
    }
  }
}

/** The one with the payload first. */
async function recordsOf(context: Station, line: ResultLine): Promise<CaptureRow[]> {
  if (line.outcome !== 'captured' || line.capturedAt === null) return []
  const wanted = { url: line.finalUrl ?? line.url, at: Date.parse(line.capturedAt) }
  try {
    const { capture, payload } = await findPlace(context, wanted)
    return capture.id === payload.id ? [capture] : [payload, capture]
  } catch (error) {
    // A record whose original is not here is still worth having; nothing else is excused.
    if (error instanceof NoSuchCapture || error instanceof TakenDown) return []
    throw error
  }
}
