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
export * from './calls-on.ts'
export * from './join-operations.ts'
export { SCHEMA_VERSION } from './migrations.ts'
export { openStore, StoreThread, type StoreOptions } from './open-store.ts'
export * from './audit-log.ts'
export * from './event-log.ts'
export * from './sorted-page.ts'
export * from './station-events.ts'
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
