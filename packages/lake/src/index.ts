export * from './bind/infer-rules.ts'
export * from './bind/inspect-file.ts'
export { previewImport, type PreviewAsked, type PreviewedImport } from './bind/preview-import.ts'
export * from './duckdb-version.ts'
export {
  BadInput,
  BadQuery,
  InputChanged,
  TableTaken,
  TaskFileMissing,
  UnknownTable,
} from './errors.ts'
export { LakeFiles } from './files/lake-files.ts'
export type {
  Binding,
  Column,
  FileRef,
  InputRules,
  Manifest,
  Plan,
  Query,
  Segment,
  Stage,
  Task,
  TaskDone,
} from './model.ts'
export { checkQuery } from './plan/check-query.ts'
export * from './plan/define-query.ts'
export { explainPlan, type ExplainedPlan } from './plan/explain.ts'
export { planImport } from './plan/plan-import.ts'
export * from './plan/plan-queries.ts'
export * from './plan/query-files.ts'
export type { QueryStatus, QuerySummary } from './schedule/query-status.ts'
export { TASK_STATES, type ListedTask } from './schedule/list-tasks.ts'
export type { LeaseId } from './schedule/resolve-task.ts'
export { isNotLeader, Leadership, alwaysLeader, type LeaderLease } from './leader/leadership.ts'
export { Scheduler } from './schedule/scheduler.ts'
export type { TableView, VersionView } from './tables/change-operations.ts'
export { compactionPlan, planCompaction } from './tables/compaction.ts'
export type { SegmentChange } from './tables/apply-segments.ts'
export * from './tables/table-sql.ts'
export { tableOperations } from './tables/table-operations.ts'
export { Tables, type HeldTables, type TableWriter } from './tables/tables.ts'
export type { WorkerSettings } from './worker/start-worker.ts'
export { writeBooks, type BooksFacts } from './books/write-books.ts'
export * from './clean/exact-macros.ts'
export { listMacros } from './clean/clean-sql.ts'
export { pythonList } from './clean/python-list.ts'
export * from './clean/text-sql.ts'
export { trimmed } from './clean/white-space.ts'
export { scorerOf } from './sentiment/scorers.ts'
