export { systemClock, type Clock, type Instant } from './clock.ts'
export {
  collectionSpec,
  SCOPES,
  type CollectionRequest,
  type CollectionSpec,
  type CollectionState,
  type CollectionStatus,
  type Outcome,
} from './collection.ts'
export { isMingaError, MingaError, type Retry } from './errors.ts'
export { faultPoint } from './fault-point.ts'
export { BadUpload, UnknownAgent } from './message-errors.ts'
export {
  askMessage,
  BEAT_EVERY_MS,
  beatMessage,
  helloMessage,
  PROTOCOL_VERSION,
  SILENCE_MS,
  type Answer,
  type Ask,
  type Beat,
  type BeatAnswer,
  type Block,
  type BlockRequest,
  type CapturedResult,
  type FailedResult,
  type Hello,
  type HostBlock,
  type PreviousCapture,
  type RequestKind,
  type Result,
  type UploadAnswer,
  type UploadManifest,
  type Welcome,
} from './messages.ts'
export { decodeUpload, encodeUpload, type Upload } from './upload.ts'
