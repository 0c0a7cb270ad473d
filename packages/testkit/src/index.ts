export { ApiAnswers, type SeenAnswer } from './api-answers.ts'
export { BadFakeWebSpec, BadHitLog, NoMediaWiki, ProcessTooSlow } from './errors.ts'
export { startFakeWeb, type FakeWeb, type FakeWebOptions } from './fake-web.ts'
export { startFakeWebProcess, type FakeWebProcess } from './fake-web-process.ts'
export {
  delayAt,
  FAULT_POINTS,
  faultsEnv,
  killAt,
  pauseAt,
  type FaultPlace,
  type FaultPointName,
} from './faults.ts'
export { readHitLog } from './hit-log-file.ts'
export {
  judgeHits,
  type Hit,
  type HitJudge,
  type PolitenessUnit,
  type Refetch,
  type Violation,
} from './hit-log.ts'
export {
  endAllProcesses,
  readProcesses,
  startProcess,
  type Child,
  type Exit,
  type ListedProcess,
  type StartOptions,
} from './processes.ts'
export { seededRandom, type SeededRandom } from './random.ts'
export { threadMs } from './thread-time.ts'
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts'
export type { Expectation } from './web/expected-urls.ts'
export type { Behaviour, Encoding, FakeWebSpec, HostSelection, RobotsKind } from './web/spec.ts'
export {
  corpusSite,
  historyCorpus,
  type CorpusPage,
  type HistoryCorpusSpec,
} from './wiki/history-corpus.ts'
export { startFakeWiki, type FakeWiki, type FakeWikiSpec } from './wiki/fake-wiki.ts'
export { startFakeWikiProcess, type FakeWikiProcess } from './wiki/fake-wiki-process.ts'
export {
  findMediaWiki,
  MEDIAWIKI_UNPACKED,
  noMediaWiki,
  startMediaWiki,
  type MediaWiki,
  type MediaWikiOptions,
} from './wiki/mediawiki.ts'
export type { HideableField, WikiOperation, WikiOperationResult } from './wiki/operation.ts'
export { ORACLE, oracleHistory, type OracleHistory } from './wiki/oracle-history.ts'
export type { WikiFault } from './wiki/wiki-faults.ts'
