/** Every operation this program runs in the store; loaded by the store's own thread. */
import { warcinfoMember } from '@minga/archive'
import { fleetOperations } from '@minga/fleet'
import { frontierOperations } from '@minga/frontier'
import { lakeOperations } from '@minga/lake/operations'
import { systemClock } from '@minga/protocol'
import { joinOperations, readAudit, type BlobSeries } from '@minga/store'
import { wikiOperations } from '@minga/wiki'
import { randomUUID } from 'node:crypto'
import {
  deleteDevice,
  drainDevice,
  leaseToDevice,
  pauseDevice,
  revokeDevice,
  uploadFacts,
  welcomeAgent,
} from './agents/agent-operations.ts'
import { deviceWork } from './agents/device-work.ts'
import { hostCountries } from './agents/fleet-map.ts'
import { seenDevice, seenDevices, seenPage } from './agents/seen-devices.ts'
import {
  allowHosts,
  applyCategory,
  categoryHosts,
  changeCategory,
  denyHosts,
  forgetHosts,
  listCategories,
} from './abuse/host-lists.ts'
import { withAudit } from './audit-log/audited-operations.ts'
import { attentionOperations } from './attention/attention-rows.ts'
import { accountEndOperations } from './accounts/account-ends.ts'
import { ticketOperations } from './accounts/download-tickets.ts'
import { signInByLink } from './accounts/sign-in-links.ts'
import { alertsOperations } from './alerts/alerts-operations.ts'
import { archiveOperations } from './archive-access/archive-operations.ts'
import { registrarOperations } from './federation/registrar-operations.ts'
import { archiveFacts, captureContent, listCaptures } from './captures.ts'
import { collectionsOperations } from './collections/collections-operations.ts'
import { listHosts } from './hosts.ts'
import { repairOperations } from './repair/repair-rows.ts'
import { importCaptures, importedTotal } from './import-captures.ts'
import { ingest } from './ingest.ts'
import { SOFTWARE } from './identity.ts'
import { eventLogOperations } from './event-log/event-log-operations.ts'
import { feedOperations } from './lake/feed/feed-store-operations.ts'
import { savedOperations } from './lake/saved-queries.ts'
import { holdLoadTest, startLoadTest } from './load-tests/load-test-operations.ts'
import { tendMonitors } from './neutrality/looks.ts'
import { graphOperations } from './place/graph-operations.ts'
import { rateOperations } from './request-limits/shared-rates.ts'
import { addPaidRequests, closeBatch, openPaidBatch } from './requests/paid-requests.ts'
import { accountForOwner, dropOwnerRule, putOwnerRule } from './site-owners/owner-rules.ts'
import { sweepTrust } from './trust/audits.ts'
import { openCanaries } from './trust/canaries.ts'
import { deviceTrust } from './trust/device-trust.ts'
import { textOperations } from './search/text-operations.ts'
import { listSecretRows, retireTokens, writeSecretRows } from './secrets/sealed-rows.ts'
import { readFact, writeFact } from './station-facts.ts'
import { jobOperations } from './tasks/list-jobs.ts'
import { takedownOperations } from './takedown/takedown-operations.ts'
import { metricsOperations } from './watch-metrics/metrics-operations.ts'
import { watchingOperations } from './visits/watching-operations.ts'
import { watchesOperations } from './watches/watches-operations.ts'
import { readAsOperation } from './visibility/read-as.ts'
import { sharedThingOperations } from './visibility/shared-things.ts'
import { sharingOperations } from './visibility/sharing.ts'
import { wikiRoadOperations } from './wiki/wiki-road-operations.ts'

const unaudited = joinOperations(
  frontierOperations,
  accountEndOperations,
  ticketOperations,
  rateOperations,
  fleetOperations,
  archiveOperations,
  alertsOperations,
  watchesOperations,
  watchingOperations,
  metricsOperations,
  graphOperations,
  registrarOperations,
  wikiOperations,
  wikiRoadOperations,
  takedownOperations,
  repairOperations,
  collectionsOperations,
  lakeOperations,
  feedOperations,
  eventLogOperations,
  savedOperations,
  jobOperations,
  attentionOperations,
  textOperations,
  sharingOperations,
  sharedThingOperations,
  {
    // These span rooms.
    accountForOwner,
    addPaidRequests,
    allowHosts,
    applyCategory,
    archiveFacts,
    captureContent,
    categoryHosts,
    changeCategory,
    closeBatch,
    deleteDevice,
    denyHosts,
    deviceTrust,
    deviceWork,
    drainDevice,
    dropOwnerRule,
    forgetHosts,
    holdLoadTest,
    hostCountries,
    importCaptures,
    importedTotal,
    ingest,
    leaseToDevice,
    listCaptures,
    listCategories,
    listHosts,
    openCanaries,
    openPaidBatch,
    pauseDevice,
    putOwnerRule,
    readFact,
    revokeDevice,
    seenDevice,
    seenDevices,
    seenPage,
    signInByLink,
    startLoadTest,
    sweepTrust,
    tendMonitors,
    uploadFacts,
    welcomeAgent,
    writeFact,
    listSecretRows,
    retireTokens,
    writeSecretRows,
    readAudit,
  },
)

const ownOperations = withAudit(unaudited)

export const operations = { ...ownOperations, readAs: readAsOperation(ownOperations) }

export type Operations = typeof operations

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
