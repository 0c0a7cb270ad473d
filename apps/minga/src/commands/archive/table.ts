/** What a check compares files with: the captures table, of a running station or of the folder. */
import {
  openReadOnly,
  type ArchiveFacts,
  type CaptureQuery,
  type CaptureRow,
} from '@minga/coordinator'
import { isMingaError } from '@minga/protocol'
import { findStation } from '../../api.ts'
import { capturesOf, pagesOf } from './captures.ts'
import type { Findings } from './findings.ts'

export interface CaptureTable {
  facts(): Promise<ArchiveFacts>
  captures(): AsyncIterable<CaptureRow>
  /** Captures of an address at and after a moment, the first few. */
  capturesSince(url: string, at: number): Promise<CaptureRow[]>
  /** A station serves the folder: files grow while we look. */
  isLive: boolean
  close(): void
}

export interface Check {
  data: string
  facts: ArchiveFacts
  findings: Findings
}

export async function openTable(data: string, findings: Findings): Promise<CaptureTable | null> {
  const station = await findStation(data)
  if (station) {
    return {
      facts: () => station.get<ArchiveFacts>('/archive/facts'),
      captures: () => capturesOf(pagesOf(station), {}),
      capturesSince: (url, at) => pagesOf(station)(sinceQuery(url, at)),
      isLive: true,
      close: () => void station.close(),
    }
  }
  const folder = await orDamage(findings, () => openReadOnly(data))
  if (folder) {
    return {
      facts: () => folder.facts(),
      captures: () => capturesOf((query) => folder.captures(query), {}),
      capturesSince: (url, at) => folder.captures(sinceQuery(url, at)),
      isLive: false,
      close: () => folder.close(),
    }
  }
  if (folder === null)
    await findings.add({ severity: 'warning', ...DATABASE, message: NO_DATABASE })
  return null
}

/** Captures of one address within a second. */
const FEW = 20

function sinceQuery(url: string, at: number): CaptureQuery {
  return { url, afterAt: at - 1, afterId: Number.MAX_SAFE_INTEGER, limit: FEW }
}

const DATABASE = { file: 'minga.db', offset: 0, code: 'database' } as const
const NO_DATABASE =
  'There is no database and no station is running; only the files themselves are checked.'

/** A damaged database is a finding like any other; what needs it is passed over. */
export async function orDamage<R>(
  findings: Findings,
  work: () => R | Promise<R>,
): Promise<R | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isMingaError(error) || error.code !== 'MINGA_STORE_DAMAGED') throw error
    await findings.add({ severity: 'error', ...DATABASE, message: error.message })
    return undefined
  }
}
