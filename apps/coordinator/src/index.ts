// What starts a station is `@minga/coordinator/start`: most commands only speak to one that runs.
export type { CoordinatorSettings } from './start.ts'
export { cdxjEntryOf, playerEntryOf } from './archive/captures/archive-index.ts'
export { diffIn, type DiffQuery } from './archive/compare/capture-diff.ts'
export type { ArchiveFacts, CaptureQuery } from './archive/captures/captures.ts'
export type { CaptureRow } from '@minga/protocol'
export type { CaptureContent, ContentForm } from './archive/captures/capture-content.ts'
export { SOFTWARE } from './station/identity.ts'
export type { Operations } from './station/station-operations.ts'
export type { ImportAnswer } from './archive/import/import-warc.ts'
export type { SettingView, ShownChange } from './station/settings/live-settings.ts'
export { readMember } from './archive/repair/read-member.ts'
export {
  openCurrent,
  openReadOnly,
  type ReadOnlyArchive,
} from './archive/captures/read-only-archive.ts'
export { diskRoomAt, type DiskRoom } from './station/disk-room.ts'
export { SCHEMA_VERSION } from '@minga/store'
