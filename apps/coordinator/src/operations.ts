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
  deleteDevicesOf,
  drainDevice,
  leaseToDevice,
  pauseDevice,
  revokeDevice,
  uploadFacts,
  welcomeAgent,
} from './pipeline/lease-to-device.ts'
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
} from './clients/abuse/host-lists.ts'
import { withAudit } from './operate/audit-log/audited-operations.ts'
import { attentionOperations } from './operate/attention/attention-rows.ts'
import { accountEndOperations } from './accounts/account-ends.ts'
import { ticketOperations } from './accounts/download-tickets.ts'
import { signInByLink } from './accounts/sign-in-links.ts'
import { removeAlertsOf } from './watch/alerts/alert-rules.ts'
import { alertsOperations } from './watch/alerts/alerts-operations.ts'
import { keepMailCounts } from './watch/alerts/mailboxes.ts'
import { archiveOperations } from './archive/archive-operations.ts'
import { registrarOperations } from './federation/registrar/registrar-operations.ts'
import { archiveFacts, captureContent, listCaptures } from './archive/captures/captures.ts'
import { collectionsOperations } from './collect/collections-operations.ts'
import { listHosts } from './collect/hosts.ts'
import { repairOperations } from './archive/repair/repair-rows.ts'
import { importCaptures, importedTotal } from './archive/import/import-captures.ts'
import { ingest } from './pipeline/ingest.ts'
import { SOFTWARE } from './station/identity.ts'
import { eventLogOperations } from './station/event-log/event-log-operations.ts'
import { feedOperations } from './lake/feed/feed-store-operations.ts'
import { savedOperations } from './lake/queries/saved-queries.ts'
import { holdLoadTest, startLoadTest } from './site-services/load-tests/load-test-operations.ts'
import { runDueMonitors } from './site-services/neutrality/monitor-requests.ts'
import { graphOperations } from './placement/graph/graph-operations.ts'
import { rateOperations } from './http/request-limits/shared-rates.ts'
import { addPaidRequests, closeBatch, openPaidBatch } from './clients/paid-requests.ts'
import { accountForOwner, dropOwnerRule, putOwnerRule } from './site-services/owner-rules.ts'
import { finishCollections, sweepTrust } from './agents/trust/audits.ts'
import { openCanaries } from './agents/trust/canaries.ts'
import { deviceTrust } from './agents/trust/deliveries.ts'
import { textOperations } from './archive/search/text-operations.ts'
import { listSecretRows, retireTokens, writeSecretRows } from './station/secrets/sealed-rows.ts'
import { readFact, writeFact } from './station/station-facts.ts'
import { jobOperations } from './operate/jobs/list-jobs.ts'
import { takedownOperations } from './archive/takedown/takedown-operations.ts'
import { metricsOperations } from './watch/metrics/metrics-operations.ts'
import { visitOperations } from './watch/visits/visit-operations.ts'
import { watchesOperations } from './watch/watches-operations.ts'
import { readAsOperation } from './accounts/visibility/read-as.ts'
import { sharedThingOperations } from './accounts/visibility/shared-things.ts'
import { sharingOperations } from './accounts/visibility/sharing.ts'
import { wikiPipelineOperations } from './wiki/wiki-pipeline-operations.ts'

const unaudited = joinOperations(
  frontierOperations,
  accountEndOperations([deleteDevicesOf, removeAlertsOf, keepMailCounts]),
  ticketOperations,
  rateOperations,
  fleetOperations,
  archiveOperations,
  alertsOperations,
  watchesOperations,
  visitOperations,
  metricsOperations,
  graphOperations,
  registrarOperations,
  wikiOperations,
  wikiPipelineOperations,
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
    finishCollections,
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
    runDueMonitors,
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
