/** Accepted results as the rows that every request leaves behind. */
import { noteResults, type RequestItem } from '@minga/fleet'
import { addressOf, type Accepted } from '@minga/frontier'
import type { Sql } from '@minga/store'

/** Refused by the volunteer's own machine, which dialled nothing. */
const GUARDED = ['MINGA_ADDRESS_REFUSED', 'MINGA_VOLUNTEER_REFUSED']
/** A longer value is not an encoding but an attempt to fill a table. */
const ENCODING_CHARACTERS_MAX = 40

interface DeviceUpload {
  accepted: readonly Accepted[]
  sender: { device: string } | null
  /** Of the whole upload, as it was received. */
  uploadBytes?: number
  now: number
}

export async function recordDeviceStatistics(
  sql: Sql,
  { accepted, sender, uploadBytes = 0, now }: DeviceUpload,
): Promise<void> {
  if (sender === null) return
  await noteResults(sql, { device: sender.device, items: accepted.map(itemOf), uploadBytes, now })
}

function itemOf({ result, lease, url }: Accepted): RequestItem {
  const nothing = { status: null, responseBytes: 0, elapsedMs: 0, encoding: null, code: null }
  const common = { ...nothing, collectionId: lease.collection_id, url: url && addressOf(url.url) }
  if (result.type === 'returned') return { ...common, outcome: 'returned' }
  const answered = {
    ...common,
    url: common.url ?? cleanText(result.url),
    elapsedMs: result.totalMs,
  }
  if (result.type === 'failed') {
    const outcome = GUARDED.includes(result.code) ? 'denied' : 'failed'
    return { ...answered, outcome, code: cleanText(result.code) }
  }
  const { status, payloadBytes, encoding } = result
  return {
    ...answered,
    outcome: 'captured',
    status,
    responseBytes: payloadBytes,
    encoding: encoding ? cleanText(encoding.slice(0, ENCODING_CHARACTERS_MAX)) : null,
  }
}

/** A database may choke on what a stranger's machine sent. */
function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
