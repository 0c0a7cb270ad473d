/**
 * Which test files share a process, which have their own, and which begin first because they
 * mostly wait. Reading the programs takes longer than most test files: those that neither start
 * processes nor change what all of a process have in common run many to one.
 */
import { slowFirst, SLOW_TESTS } from './slow-tests.ts'

export interface TestFile {
  file: string
  /** Of the file and of the fixtures it imports. */
  text: string
}

/**
 * Files of a third of a minute and more that use a processor for a third of it at most: pauses between
 * visits, leases that run out, loads of real time. Each ends the same while processors are busy.
 */
export const WAITING_TESTS: readonly string[] = [
  'tests/crash/federation.test.ts',
  'tests/e2e/demo.test.ts',
  'tests/e2e/load-test.test.ts',
  'tests/crash/lake-supervision.test.ts',
  'tests/e2e/deploy.test.ts',
  'tests/e2e/replay.test.ts',
  'tests/e2e/archive-access.test.ts',
  'tests/crash/lake-leaders.test.ts',
  'tests/e2e/agent-page.test.ts',
  'tests/e2e/site-owners.test.ts',
  'tests/e2e/politeness.test.ts',
  'tests/e2e/kill-switch.test.ts',
  'tests/e2e/fleet-manners.test.ts',
  'apps/minga/src/commands/station/station.test.ts',
  'apps/minga/src/supervised-events.test.ts',
  'apps/agent/src/station/thread-beats.test.ts',
]

/** More of them to a process gain nothing, and the last process should not run alone for long. */
const FILES_PER_GROUP = 40

/** What a file does to a process that other files would notice, or what others would do to its figures. */
const NEEDS_ITS_OWN: readonly RegExp[] = [
  /^\/\/ Needs a process of its own: /m,
  /child_process|\bstartProcess\b|process\.(kill|exit|chdir|argv)\b/,
  /process\.(on|once)\b|process\.(stdout|stderr),/,
  /process\.env\[[^\]]*\] *=[^=]|delete process\.env/,
  // A method of a test's own station is no one else's.
  /\bmock\b.*'node:test'|\bmock\.(?!method\((?!process|globalThis)|restoreAll)/,
  /\bglobalThis\b/,
  /^(before|beforeEach|afterEach)\(/m,
  /\b(memoryUsage|cpuUsage|monitorEventLoopDelay|PerformanceObserver)\b/,
  /^await (test|describe|suite)\(/m,
  // All files are loaded before the first test runs: a station on real time would count its agents as lost.
  /^const \w+ = await startCoordinator\(/m,
]

export function needsItsOwn({ file, text }: TestFile): boolean {
  return (
    SLOW.has(file) ||
    STARTS_STATIONS.test(file) ||
    NEEDS_ITS_OWN.some((pattern) => pattern.test(text))
  )
}

const SLOW = new Set(SLOW_TESTS)
const STARTS_STATIONS = /^tests\/(crash|e2e)\//

/** Files that run in one process, one after the other. */
export type Job = readonly string[]

/** In the order in which they are to be begun: what takes long first, and groups before single files. */
export function planJobs(files: readonly TestFile[]): Job[] {
  const alone = new Set(files.filter(needsItsOwn).map(({ file }) => file))
  const all = slowFirst(files.map(({ file }) => file))
  const single = all.filter((file) => alone.has(file))
  return [
    ...single.filter((file) => SLOW.has(file)).map((file) => [file]),
    ...groupsOf(all.filter((file) => !alone.has(file))),
    ...single.filter((file) => !SLOW.has(file)).map((file) => [file]),
  ]
}

/** Neighbours share their programs. */
function groupsOf(files: readonly string[]): Job[] {
  const count = Math.ceil(files.length / FILES_PER_GROUP)
  const edge = (index: number): number => Math.floor((index * files.length) / count)
  return Array.from({ length: count }, (_, index) => files.slice(edge(index), edge(index + 1)))
}
