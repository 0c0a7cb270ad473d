/** The lake of a station, and what the other sides have to do with it. */
import type { Pipeline } from './pipeline/pipeline.ts'
import type { Takedowns } from './archive/takedown/takedowns.ts'
import type { Wikis } from './wiki/wikis.ts'
import { lakeSide, type LakeSide, type LakeSideParts } from './lake/lake-side.ts'

interface Others {
  pipeline: Pipeline
  takedowns: Takedowns
  wikis: Wikis
  closing: AbortSignal
}

export function lakeOf(
  parts: Omit<LakeSideParts, 'revisions' | 'closing'>,
  { pipeline, takedowns, wikis, closing }: Others,
): LakeSide {
  const lake = lakeSide({ ...parts, revisions: wikis.revisions, closing })
  pipeline.notedFeeds = (results) => lake.feeds.noted(results)
  pipeline.checkExtract = (spec, owner) => lake.extracts.check(spec, owner)
  takedowns.forgetRows = () => lake.feeds.purge()
  return lake
}
