/** The pipeline of a coordinator, and the parts that it and the lake have to know of. */
import { randomUUID } from 'node:crypto'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import type { Revisions } from '@minga/wiki'
import type { UrlIndex } from './archive/url-index.ts'
import { Takedowns } from './archive/takedown/takedowns.ts'
import { CollectionService } from './collect/collection-service.ts'
import { CollectionMaintenance } from './collect/collection-maintenance.ts'
import { CollectionViews } from './collect/collection-views.ts'
import type { FederationServices } from './federation/create-federation.ts'
import type { LakeServices } from './lake/create-lake.ts'
import { Pipeline, type RefusedResults } from './pipeline/pipeline.ts'
import type { GraphServices } from './placement/graph/create-graph.ts'
import type { LoadTests } from './site-services/load-tests/load-tests.ts'
import { NO_GEOIP } from './station/geoip.ts'
import type { EventLog } from './station/event-log/event-log.ts'
import { StationFilter } from './station/filters/station-filter.ts'
import { takeDownHidden } from './wiki/hidden-revisions.ts'
import { WikiService } from './wiki/wiki-service.ts'

import type { AssemblyParts } from './assemble.ts'

/** By what parts wake each other. */
export interface Wake {
  /** Rings when there may be new work for agents that wait. */
  work: ConditionVariable
  /** Rings when clients' requests may have ended. */
  settled: ConditionVariable
}

interface CollectionServices {
  maintenance: CollectionMaintenance
  collectionService: CollectionService
  views: CollectionViews
  filter: StationFilter
}

export function collectionsOf(
  parts: AssemblyParts,
  { wake, lake }: { wake: Wake; lake: LakeServices },
): CollectionServices {
  const { store, clock, settings, data, userAgent, allowPrivateAddresses } = parts
  const maintenance = new CollectionMaintenance({ store, clock })
  const views = new CollectionViews(store)
  const filter = new StationFilter(settings)
  const collectionService = new CollectionService({
    store,
    clock,
    ...wake,
    views,
    filter,
    checkExtract: (spec, owner) => lake.extracts.check(spec, owner),
    maintenance,
    settings,
    guard: { allowPrivateAddresses },
    data,
    userAgent,
    newId: randomUUID,
  })
  return { maintenance, collectionService, views, filter }
}

interface PipelineOptions extends Wake, Pick<CollectionServices, 'views' | 'filter'> {
  revisions: Revisions
  eventLog: EventLog
  federation: FederationServices['federation']
  loadTests: LoadTests
  lake: LakeServices
  graph: GraphServices
}

/** What requests and their answers travel, with all that has to do with it. */
export function createPipeline(parts: AssemblyParts, options: PipelineOptions): Pipeline {
  const { store, clock, resolver, data, secret, secrets, settings, fleet } = parts
  const { views, filter, revisions, work, settled } = options
  const { eventLog, federation, loadTests, lake, graph } = options
  return new Pipeline({
    ...fleet,
    views,
    filter,
    revisions,
    work,
    settled,
    store,
    clock,
    resolver,
    data,
    secret,
    secrets,
    settings,
    guard: { allowPrivateAddresses: parts.allowPrivateAddresses },
    right: federation,
    loadPartFor: (device) => loadTests.partFor(device),
    notedFeeds: (results) => lake.feeds.noted(results),
    onCommitted: (upload) => graph.collector.hear(upload),
    onRefused: (refused) => noteRefused(eventLog, refused),
  })
}

function noteRefused(eventLog: EventLog, { device, dropped, refused }: RefusedResults): void {
  if (dropped + refused === 0) return
  const sentence = `Of an upload, ${dropped} results were dropped because they are not leased to the device, and ${refused} because their records do not hold.`
  const details = { dropped, refused }
  eventLog.note({ code: 'agent:refused', subject: device, device, sentence, details })
}

interface WikiOptions extends Pick<Wake, 'work'> {
  revisions: Revisions
  urlIndex: UrlIndex
  lake: LakeServices
}

/** What wikis hide is taken down, and what is taken down leaves the lake. */
export function createWikis(
  parts: AssemblyParts,
  { revisions, urlIndex, lake, work }: WikiOptions,
): { takedowns: Takedowns; wikis: WikiService } {
  const { store, clock, resolver, data, secrets, settings, fleet, userAgent } = parts
  const forgetRows = (): Promise<void> => lake.feeds.purge()
  const takedowns = new Takedowns({ store, clock, data, urlIndex, newId: randomUUID, forgetRows })
  const wikis = new WikiService({
    store,
    clock,
    resolver,
    guard: { allowPrivateAddresses: parts.allowPrivateAddresses },
    revisions,
    secrets,
    settings: () => settings.current(),
    userAgent,
    countryOf: fleet.countryOf === NO_GEOIP.countryOf ? null : fleet.countryOf,
    ring: () => work.notifyAll(),
    onFolded: () => takeDownHidden({ store, clock, data, takedowns }),
  })
  return { takedowns, wikis }
}
