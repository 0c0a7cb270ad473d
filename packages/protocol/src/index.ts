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
export type {
  AccountView,
  Balance,
  DeviceRequestRow,
  DeviceRow,
  DeviceTrustView,
  JoinTokenRow,
  KeyView,
  LeaderRow,
  Me,
  QuotaView,
  StatementRow,
  TrustLogRow,
} from './fleet-api.ts'
export { LatencyHistogram, type BucketCounts } from './latency-histogram.ts'
export {
  LOAD_DEAD_MAN_MS,
  LOAD_ERRORS,
  LOAD_MOST,
  LOAD_REPORT_EVERY_MS,
  loadReport,
  loadTestMessage,
  type LoadError,
  type LoadOrder,
  type LoadPart,
  type LoadReport,
  type LoadShare,
  type LoadTestMessage,
  type LoadTestState,
} from './load-tests.ts'
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
  type BotSigningKey,
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
export { monitorMessage, type MonitorMessage } from './neutrality.ts'
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
