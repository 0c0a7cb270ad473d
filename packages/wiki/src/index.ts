export type {
  EditorKind,
  HiddenField,
  Namespace,
  Page,
  Revision,
  RevisionSource,
  SiteInfo,
  Slot,
} from './model.ts'
export { BadWikiFilter } from './errors.ts'
export type { WikiAnswer } from './api/answer-envelope.ts'
export {
  advanceMark,
  freshChanges,
  planPoll,
  type FeedMark,
  type PollPlan,
} from './api/change-feed.ts'
export {
  checkHistory,
  historyRowOf,
  type HistoryClaims,
  type HistoryRow,
} from './api/completeness.ts'
export { eventStreamUrl, isWikimediaHost } from './api/wikimedia.ts'
export {
  EventStreamReader,
  newsOfEvent,
  type StreamEvent,
  type StreamNews,
} from './api/event-stream.ts'
export { sentenceOf, type Gap, type GapKind } from './api/gap.ts'
export { planEvent, planPage, type StoredPage } from './api/incremental.ts'
export {
  allNamespaces,
  listOfIds,
  revisionsByIds,
  stepsForPages,
  wholeHistory,
  type WantedPages,
} from './api/plan-steps.ts'
export { readAnswer, readFailure, readLogInFailure, type AnswerContext } from './api/read-answer.ts'
export { planRepair } from './api/repair.ts'
export { stepOfUrl, urlOfStep } from './api/step-url.ts'
export {
  firstStep,
  readWikiAddress,
  wantedOn,
  type AddressOptions,
  type WantedPage,
  type WikiAddress,
} from './api/wiki-address.ts'
export type {
  Claim,
  FinishedHistory,
  MissingPage,
  PageChange,
  PageNews,
  TitleAlias,
  WikiProblem,
  WikiEvent,
  WikiEventKind,
  WikiNews,
  WikiErrorCode,
} from './api/wiki-news.ts'
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
export { wikiOperations, type WikiOperations } from './revisions/wiki-operations.ts'
export type { DumpSource } from './dump/compressed.ts'
export { openDumpFile } from './dump/dump-file.ts'
export type { DumpItem, DumpLogItem, DumpTrouble } from './dump/dump-model.ts'
export {
  importDump,
  type DumpCheckpoint,
  type DumpImport,
  type DumpProgress,
  type DumpSink,
  type DumpSummary,
  type PageEnd,
} from './dump/import-dump.ts'
export { readDump, readDumpBody } from './dump/xml-reader.ts'
export {
  writeDump,
  type Attribution,
  type DumpExport,
  type DumpExportPage,
} from './dump/xml-writer.ts'
export { Values, type Ask, type AskLimits, type AskRow, type Choice } from './metrics/ask.ts'
export { editBursts, type Burst, type BurstOptions } from './metrics/bursts.ts'
export {
  compareEditors,
  comparePages,
  type EditorComparison,
  type PageComparison,
} from './metrics/compare.ts'
export { coEditors, tagUse, type CoEditorNetwork, type TagUse } from './metrics/connections.ts'
export {
  averagePerDay,
  countRevisions,
  MODE_ATTRIBUTES,
  modeOf,
  readModeAttribute,
  type Average,
  type Mode,
  type ModeAttribute,
} from './metrics/counts.ts'
export { countriesOf, type CountryOf, type CountryTotals } from './metrics/countries.ts'
export {
  editInequality,
  editorSplit,
  topEditors,
  type EditorSplit,
  type Inequality,
  type TopEditor,
} from './metrics/editors.ts'
export { writeParquet, type ParquetTarget } from './metrics/export-parquet.ts'
export {
  pageUrlOf,
  REVISION_COLUMNS,
  revisionRow,
  type ExportColumn,
  type ExportRow,
  type ExportTable,
  type ExportValue,
} from './metrics/export-table.ts'
export { csvLines, csvOf, jsonlOf } from './metrics/export-text.ts'
export {
  chooseWikis,
  compileFilter,
  METRIC_FILTERS,
  metricFilterSchema,
  readFilter,
  type MetricFilter,
} from './metrics/filters.ts'
export { FIELDS, type Field } from './metrics/query-fields.ts'
export { compileQuery, QUERY_LIMITS, runQuery, type QueryAnswer } from './metrics/query.ts'
export {
  editWars,
  identityReverts,
  type EditWar,
  type IdentityReverts,
  type RevertOptions,
} from './metrics/reverts.ts'
export {
  editGaps,
  editsBy,
  editSessions,
  type EditGaps,
  type EditSessions,
  type RhythmBucket,
  type RhythmCount,
} from './metrics/rhythm.ts'
export { sizeDeltas, type SizeDeltas } from './metrics/sizes.ts'
export { followPage } from './text/follow-page.ts'
export { diffTexts, type DiffKind, type DiffPart, type TextDiff } from './text/text-diff.ts'
export {
  TextHistory,
  type AuthoredToken,
  type EditorTokens,
  type TextRevision,
} from './text/text-history.ts'
export { tokenise } from './text/tokenise.ts'
export { NoSuchWikiPage } from './errors.ts'
