/** The pipeline of a coordinator, and the parts that it and the lake have to know of. */
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
import type { EventLog } from './station/event-log/event-log.ts'
import { StationFilter } from './station/filters/station-filter.ts'
import { takeDownHidden } from './wiki/hidden-revisions.ts'
import { WikiService } from './wiki/wiki-service.ts'
import type { Station } from './station/station.ts'

interface CollectionServices {
  maintenance: CollectionMaintenance
  collectionService: CollectionService
  views: CollectionViews
  filter: StationFilter
}

export function collectionsOf(station: Station, lake: LakeServices): CollectionServices {
  const maintenance = new CollectionMaintenance(station)
  const views = new CollectionViews(station.store)
  const filter = new StationFilter(station.settings)
  const collectionService = new CollectionService(station, {
    views,
    filter,
    checkExtract: (spec, owner) => lake.extracts.check(spec, owner),
    maintenance,
  })
  return { maintenance, collectionService, views, filter }
}

interface PipelineOptions extends Pick<CollectionServices, 'views' | 'filter'> {
  federation: FederationServices['federation']
  loadTests: LoadTests
  lake: LakeServices
  graph: GraphServices
}

/** What requests and their answers travel, with all that has to do with it. */
export function createPipeline(station: Station, options: PipelineOptions): Pipeline {
  const { federation, loadTests, lake, graph, ...deps } = options
  return new Pipeline(station, {
    ...deps,
    right: federation,
    loadPartFor: (device) => loadTests.partFor(device),
    notedFeeds: (results) => lake.feeds.noted(results),
    onCommitted: (upload) => graph.collector.hear(upload),
    onRefused: (refused) => noteRefused(station.eventLog, refused),
  })
}

function noteRefused(eventLog: EventLog, { device, dropped, refused }: RefusedResults): void {
  if (dropped + refused === 0) return
  const sentence = `Of an upload, ${dropped} results were dropped because they are not leased to the device, and ${refused} because their records do not hold.`
  const details = { dropped, refused }
  eventLog.note({ code: 'agent:refused', subject: device, device, sentence, details })
}

/** What wikis hide is taken down, and what is taken down leaves the lake. */
export function createWikis(
  station: Station,
  { urlIndex, lake }: { urlIndex: UrlIndex; lake: LakeServices },
): { takedowns: Takedowns; wikis: WikiService } {
  const forgetRows = (): Promise<void> => lake.feeds.purge()
  const takedowns = new Takedowns(station, { urlIndex, forgetRows })
  const wikis = new WikiService(station, () => takeDownHidden(station, takedowns))
  return { takedowns, wikis }
}
