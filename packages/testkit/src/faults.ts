/** Says where and how processes shall fail; `faultPoint` of `@minga/protocol` obeys. */

/** Every name that `faultPoint` is called with. A test compares this list with the code. */
export const FAULT_POINTS = [
  'agent:before-dial',
  'agent:after-response',
  'agent:after-record',
  'agent:before-send',
  'agent:after-send',
  'ingest:received',
  'ingest:before-append',
  'ingest:after-append',
  'ingest:before-commit',
  'ingest:after-commit',
  'lease:before-commit',
  'lease:after-commit',
  'coordinator:starting',
  'watch:due-queued',
  'watch:visits-noted',
  'watch:harvest-launched',
  'watch:harvest-ended',
  'federation:outbox-written',
  'federation:batch-sent',
  'federation:batch-applied',
  'federation:journal-shipped',
  'federation:handover-prepared',
  'federation:handover-shipped',
  'federation:release-step',
  'map:page-written',
  'wiki:fold:before-rename',
  'wiki:fold:after-rename',
  'wiki:fold:after-commit',
  'wiki:compact:before-rename',
  'wiki:compact:after-rename',
  'wiki:compact:after-commit',
  'wiki:purge:before-rename',
  'wiki:purge:after-rename',
  'wiki:purge:after-commit',
  'wiki:import:before-rename',
  'wiki:import:after-rename',
  'wiki:import:after-commit',
  'takedown:asked',
  'takedown:placed',
  'takedown:one-written',
  'takedown:overwritten',
  'takedown:done',
  'repair:before-commit',
  'repair:step-done',
  'task:after-lease',
  'task:before-write',
  'task:after-write',
  'task:before-commit',
  'task:after-commit',
  'lake:settle:before-rename',
  'lake:settle:after-rename',
  'lake:change:after-commit',
  'lake:sweep:after-versions',
  'lake:sweep:after-files',
  'lake:sweep:after-strays',
  'lake:feed:after-write',
  'lake:feed:before-commit',
  'lake:feed:before-forget',
  'texts:before-commit',
  'texts:after-commit',
] as const

export type FaultPointName = (typeof FAULT_POINTS)[number]

export interface FaultPlace {
  /** At which passage within one process; default the first. */
  passage?: number
  /** Only in processes that run as this role. */
  role?: string
}

/** Text of one fault in the form that MINGA_FAULTS takes. */
export function killAt(point: FaultPointName, place: FaultPlace = {}): string {
  return fault('kill', point, place)
}

export function pauseAt(point: FaultPointName, place: FaultPlace = {}): string {
  return fault('pause', point, place)
}

export function delayAt(
  point: FaultPointName,
  { delayMs, ...place }: FaultPlace & { delayMs: number },
): string {
  return fault(`delay:${delayMs}`, point, place)
}

/** Variables for the environment of processes. In `folder` they note which faults are spent. */
export function faultsEnv(
  faults: readonly string[],
  folder?: string,
): { MINGA_FAULTS: string; MINGA_FAULTS_DIR?: string } {
  const list = { MINGA_FAULTS: faults.join(',') }
  return folder === undefined ? list : { ...list, MINGA_FAULTS_DIR: folder }
}

function fault(action: string, point: FaultPointName, { passage = 1, role }: FaultPlace): string {
  const prefix = role === undefined ? '' : `${role}/`
  return `${prefix}${action}@${point}#${passage}`
}
