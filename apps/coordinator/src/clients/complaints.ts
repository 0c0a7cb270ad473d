/** A client says that a result is wrong: the page is fetched again, before all other audits. */
import { parseHttpBlock, unpackMember } from '@minga/archive'
import type { ComplainArgs, PageFacts } from '@minga/fleet'
import type { CaptureRow } from '@minga/protocol'
import { findPlace } from '../archive/captures/capture-content.ts'
import type { ClientContext } from './client-context.ts'
import { NothingToCheck } from '../station/errors.ts'
import { pageWorker } from '../archive/pages/page-worker.ts'
import { readBytes } from '../archive/repair/read-member.ts'

export interface Complaint {
  client: string
  batchId: string
  seq: number
  note: string | null
  /** Made by the caller. */
  id: string
}

/** The operator would only pay the station, and may have anything checked. */
const OPERATOR = 'operator'

/** Whether it is checked; false when the same result was complained of before. */
export async function complain(
  context: ClientContext,
  args: Complaint,
): Promise<{ isNew: boolean }> {
  const { store, clock, requests } = context
  const { batchId, seq, client } = args
  await requests.status(client, batchId, true)
  const answered = await store.call('answeredRequest', { batchId, seq })
  if (answered === null || answered.device === null) throw new NothingToCheck(seq)
  const { url, hostId, hash, device, capturedAt } = answered
  const { capture } = await findPlace(context, { url, at: capturedAt })
  const { requestMicros, complaintDepositTimes, complaintsPerDay } = context.settings.current()
  const isOperator = client === OPERATOR
  const complaint: ComplainArgs = {
    id: args.id,
    who: client,
    result: `${batchId} ${seq}`,
    depositMicros: Math.ceil(requestMicros * complaintDepositTimes),
    creditLimitMicros: isOperator ? null : 0,
    perDayMax: isOperator ? null : complaintsPerDay,
    note: args.note,
    device,
    hostId,
    hash,
    collectionId: capture.collectionId,
    captureId: capture.id,
    url,
    page: await factsOf(context, capture),
    earlier: null,
    receivedAt: answered.endedAt,
    now: clock.now(),
  }
  return store.call('complain', complaint)
}

/** Agents send no larger ones. */
const RECORD_BYTES_MAX = 80 * 1024 * 1024

async function factsOf({ data }: ClientContext, capture: CaptureRow): Promise<PageFacts> {
  const { url, digest, status } = capture
  const { block } = await unpackMember(await readBytes(data, capture), RECORD_BYTES_MAX)
  const http = parseHttpBlock(block)
  const headers = http?.headers.pairs ?? []
  const body = http?.body ?? Buffer.alloc(0)
  return pageWorker.run('facts', { url, kind: 'document', status, headers, body, digest })
}
