/** The end of a run: what each stage took, and how long the processors were busy with checks and tests. */
export interface StageLine {
  name: string
  kind: 'set-up' | 'check' | 'test'
  ok: boolean
  /** Since the program started. */
  beganMs: number
  seconds: number
}

/** Stages run at the same time, so processor time is known only for all of them together. */
export function stageTable(lines: readonly StageLine[], processorSeconds: number): string[] {
  const setUp = lines.filter(({ kind }) => kind === 'set-up')
  const others = lines.filter(({ kind }) => kind !== 'set-up')
  return [
    row('stage', 'seconds', 'processor seconds'),
    ...setUp.map(lineRow),
    ...others.map(lineRow),
    row('set-up', fixed(wallSeconds(setUp)), ''),
    row('checks and tests', fixed(wallSeconds(others)), fixed(processorSeconds)),
  ]
}

/** From the first to begin to the last to end: some run at the same time. */
export function wallSeconds(lines: readonly StageLine[]): number {
  if (lines.length === 0) return 0
  const began = Math.min(...lines.map(({ beganMs }) => beganMs))
  const ended = Math.max(...lines.map(({ beganMs, seconds }) => beganMs + seconds * 1000))
  return (ended - began) / 1000
}

const lineRow = ({ name, seconds }: StageLine): string => row(name, fixed(seconds), '')

const row = (name: string, seconds: string, processorSeconds: string): string =>
  `${name.padEnd(18)}${seconds.padStart(9)}${processorSeconds.padStart(20)}`.trimEnd()

const fixed = (seconds: number): string => seconds.toFixed(1)
