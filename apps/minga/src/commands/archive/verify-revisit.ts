/** Does a revisit refer to the response that holds its payload? Replay tools follow it there and no further. */
import { mayBeEqual, referenceOf, type WarcRecord } from '@minga/archive'
import type { CaptureRow } from '@minga/coordinator'
import type { ArchiveFinding } from './findings.ts'
import type { CaptureTable } from './table.ts'

export interface RowProblem {
  code: ArchiveFinding['code']
  /** Without one it is an error. */
  severity?: ArchiveFinding['severity']
  /** What is so of the capture, and what to do. */
  what: string
}

type Captures = Pick<CaptureTable, 'capturesSince'>

const REPAIR = 'Run `minga archive repair`.'
const OTHER_RESPONSE = 'a response that does not hold its payload'
/** Captures of imported files. */
const IMPORTS = 0

/** What must be known of a capture to say whether a revisit may refer to it. */
export type ReferredCapture = Pick<CaptureRow, 'kind' | 'digest' | 'recordId'>

export type ReferenceProblem = 'revisit-of-revisit' | 'revisit-dangling' | 'revisit-wrong'

/** Judges a reference by the captures of the address and moment that it names; null when it is right. */
export function judgeReference(
  revisit: { id: string | null; digest: string },
  found: readonly ReferredCapture[],
): ReferenceProblem | null {
  if (found.length === 0) return 'revisit-dangling'
  const responses = found.filter(({ kind }) => kind === 'response')
  if (responses.length === 0) return 'revisit-of-revisit'
  const isRight = (one: ReferredCapture): boolean =>
    isNamed(one, revisit.id) && mayBeEqual(one.digest, revisit.digest)
  return responses.some(isRight) ? null : 'revisit-wrong'
}

export async function wrongReference(
  row: CaptureRow,
  { headers }: Pick<WarcRecord, 'headers'>,
  table: Captures,
): Promise<RowProblem | null> {
  const { id, url, at } = referenceOf(headers)
  const found = url === null || at === null ? [] : await referred(table, url, at)
  const code = judgeReference({ id, digest: row.digest }, found)
  if (code === null) return null
  if (code === 'revisit-dangling') return dangling(row)
  const what = code === 'revisit-of-revisit' ? 'another revisit' : OTHER_RESPONSE
  return { code, what: `refers to ${what}. ${REPAIR}` }
}

/** A file that others made may refer to one that never came here. */
function dangling({ collectionId }: CaptureRow): RowProblem {
  const code = 'revisit-dangling'
  const help = 'or import the file that holds its payload.'
  const what = `refers to a response that is not here. Run \`minga archive repair\`, ${help}`
  return collectionId === IMPORTS ? { code, severity: 'warning', what } : { code, what }
}

async function referred(table: Captures, url: string, at: number): Promise<CaptureRow[]> {
  // Dates of WARC/1.0 end with the second.
  const until = at % 1_000 === 0 ? at + 999 : at
  const rows = await table.capturesSince(url, at)
  return rows.filter(({ capturedAt }) => capturedAt <= until)
}

/** Other tools name none, and archives of older versions know none. */
const isNamed = ({ recordId }: ReferredCapture, id: string | null): boolean =>
  id === null || recordId === null || recordId === id
