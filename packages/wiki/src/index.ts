export type * from './model.ts'
export { BadWikiFilter } from './errors.ts'
export type { WikiAnswer } from './api/answer-envelope.ts'
export * from './api/change-feed.ts'
export * from './api/completeness.ts'
export { eventStreamUrl, isWikimediaHost } from './api/wikimedia.ts'
export * from './api/event-stream.ts'
export { sentenceOf, type Gap, type GapKind } from './api/gap.ts'
export * from './api/incremental.ts'
export * from './api/plan-steps.ts'
export * from './api/read-answer.ts'
export * from './api/repair.ts'
export * from './api/step-url.ts'
export {
  firstStep,
  readWikiAddress,
  wantedOn,
  type AddressOptions,
  type WantedPage,
  type WikiAddress,
} from './api/wiki-address.ts'
export * from './api/wiki-news.ts'
export type { Ticket, WikiStep } from './api/wiki-step.ts'
export { normaliseTitle, type TitleProblem, type WikiTitle } from './api/wiki-title.ts'
export { addBatches } from './revisions/batch-operations.ts'
export { encodeBatch, type Batch, type StoredRevision } from './revisions/batch.ts'
export {
  clearGaps,
  noteEvents,
  noteGaps,
  notePages,
  pageRows,
  type EventNote,
  type PageRow,
} from './revisions/page-operations.ts'
export { openRevisions, type Revisions } from './revisions/revisions.ts'
export {
  addTask,
  changeTask,
  listTasks,
  readTask,
  type NewTask,
  type TaskRow,
  type TasksAsked,
} from './revisions/task-operations.ts'
export {
  findWiki,
  listWikis,
  registerWiki,
  wikiById,
  type WikiRow,
} from './revisions/wiki-identity.ts'
export * from './revisions/wiki-operations.ts'
export type { DumpSource } from './dump/compressed.ts'
export * from './dump/dump-file.ts'
export type { DumpItem, DumpLogItem, DumpTrouble } from './dump/dump-model.ts'
export * from './dump/import-dump.ts'
export { readDump, readDumpBody } from './dump/xml-reader.ts'
export * from './dump/xml-writer.ts'
export { Values, type Ask, type AskLimits, type AskRow, type Choice } from './metrics/ask.ts'
export { editBursts, type Burst, type BurstOptions } from './metrics/bursts.ts'
export {
  compareEditors,
  comparePages,
  type EditorComparison,
  type PageComparison,
} from './metrics/compare.ts'
export * from './metrics/connections.ts'
export * from './metrics/counts.ts'
export * from './metrics/countries.ts'
export * from './metrics/editors.ts'
export * from './metrics/export-parquet.ts'
export {
  pageUrlOf,
  REVISION_COLUMNS,
  revisionRow,
  type ExportColumn,
  type ExportRow,
  type ExportTable,
  type ExportValue,
} from './metrics/export-table.ts'
export * from './metrics/export-text.ts'
export * from './metrics/filters.ts'
export { FIELDS, type Field } from './metrics/query-fields.ts'
export { compileQuery, QUERY_LIMITS, runQuery, type QueryAnswer } from './metrics/query.ts'
export * from './metrics/reverts.ts'
export * from './metrics/rhythm.ts'
export * from './metrics/sizes.ts'
export * from './text/follow-page.ts'
export * from './text/text-diff.ts'
export * from './text/text-history.ts'
export { tokenise } from './text/tokenise.ts'
export { NoSuchWikiPage } from './errors.ts'
