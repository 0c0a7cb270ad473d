export type { BlobSeries } from './blobs.ts'
export {
  ConstraintBroken,
  DiskFull,
  StoreDamaged,
  StoreLocked,
  StoreMisused,
  StoreTooNew,
  StoreUnavailable,
  fromSystemError,
} from './errors.ts'
export { callsOn } from './calls-on.ts'
export { joinOperations } from './join-operations.ts'
export { SCHEMA_VERSION } from './migrations.ts'
export { openStore, StoreThread, type StoreOptions } from './open-store.ts'
export { appendAudit, readAudit, type NewAuditEntry } from './audit-log.ts'
export { logEvents, plainEvent } from './event-log.ts'
export {
  conditionsOf,
  readSortedPage,
  type Condition,
  type FoundPage,
  type PageArgs,
  type PageEnd,
} from './sorted-page.ts'
export { noteStationEvents, type StationEvent } from './station-events.ts'
export type {
  BlobLocation,
  Calls,
  Operation,
  OperationArgs,
  OperationResult,
  OperationTable,
  Row,
  SelectMany,
  Sql,
  Store,
  Value,
} from './sql.ts'
