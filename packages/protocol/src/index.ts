export { systemClock, type Clock, type Instant } from './clock.ts'
export {
  collectionRequest,
  collectionSpec,
  SCOPES,
  type CollectionCounts,
  type CollectionRequest,
  type CollectionSpec,
  type CollectionState,
  type CollectionStatus,
  type Outcome,
} from './collection.ts'
export {
  enrolProof,
  helloProof,
  isProof,
  newDeviceKeys,
  privateKeyOf,
  publicKeyOf,
  SIGNATURE_HEADER,
  signProof,
  uploadProof,
  type DeviceKeys,
} from './device-proof.ts'
export { isMingaError, MingaError, type Retry } from './errors.ts'
export { faultPoint } from './fault-point.ts'
export { BadUpload, UnknownAgent } from './message-errors.ts'
export {
  askMessage,
  BEAT_EVERY_MS,
  beatMessage,
  challengeMessage,
  enrolMessage,
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
  type Challenge,
  type DeviceFacts,
  type Enrol,
  type Enrolment,
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
export { PRODUCT_TOKEN } from './product-token.ts'
export {
  BATCH_URLS_MAX,
  batchMessage,
  PRIORITIES,
  singleMessage,
  type BatchMessage,
  type BatchRequest,
  type BatchView,
  type Priority,
  type ResultLine,
  type SingleMessage,
} from './requests.ts'
export type { CaptureRow, HostStatus, LiveCollection, Sample, Snapshot } from './station-api.ts'
export { decodeUpload, encodeUpload, type Upload } from './upload.ts'
