/** Every operation this program runs in the store; loaded by the store's own thread. */
import { warcinfoMember } from '@minga/archive'
import { fleetOperations } from '@minga/fleet'
import { frontierOperations } from '@minga/frontier'
import { systemClock } from '@minga/protocol'
import type { BlobSeries } from '@minga/store'
import { randomUUID } from 'node:crypto'
import {
  deleteDevice,
  leaseToDevice,
  pauseDevice,
  revokeDevice,
  welcomeAgent,
} from './agents/agent-operations.ts'
import { archiveFacts, captureContent, listCaptures } from './captures.ts'
import { listHosts } from './hosts.ts'
import { importCaptures, importedTotal } from './import-captures.ts'
import { ingest } from './ingest.ts'
import { SOFTWARE } from './identity.ts'
import { addPaidRequests, closeBatch, openPaidBatch } from './requests/paid-requests.ts'
import { sweepTrust } from './trust/audits.ts'
import { deviceTrust } from './trust/device-trust.ts'
import { readFact, writeFact } from './station-facts.ts'

export const operations = {
  ...frontierOperations,
  ...fleetOperations,
  // Those below span rooms; some stand in for a room's own of the same name.
  addPaidRequests,
  archiveFacts,
  captureContent,
  closeBatch,
  deleteDevice,
  deviceTrust,
  importCaptures,
  importedTotal,
  ingest,
  leaseToDevice,
  listCaptures,
  listHosts,
  openPaidBatch,
  pauseDevice,
  readFact,
  revokeDevice,
  sweepTrust,
  welcomeAgent,
  writeFact,
}

/** Large enough that a site fits in a few files, small enough to copy and repair. */
const WARC_BYTES_MAX = 1024 * 1024 * 1024

export const blobSeries: Record<string, BlobSeries> = {
  archive: {
    maxBytes: WARC_BYTES_MAX,
    extension: 'warc.gz',
    firstBytes: (fileName) =>
      warcinfoMember({
        id: randomUUID(),
        createdAt: systemClock.now(),
        fileName,
        software: SOFTWARE,
      }),
  },
}
