/** A state by shape, text and colour: none alone carries the meaning. */
export type StatusKind = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

const SHAPES: Record<StatusKind, string> = {
  good: '●',
  warn: '❚❚',
  bad: '✕',
  info: '✔',
  quiet: '○',
}

export function StatusBadge({ kind, text }: { kind: StatusKind; text: string }) {
  return (
    <span className={`mark ${kind}`}>
      <span aria-hidden="true">{SHAPES[kind]} </span>
      {text}
    </span>
  )
}
