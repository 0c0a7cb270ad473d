/** A state by shape, text and colour: none alone carries the meaning. */
export type MarkKind = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

const SHAPES: Record<MarkKind, string> = { good: '●', warn: '❚❚', bad: '✕', info: '✔', quiet: '○' }

export function Mark({ kind, text }: { kind: MarkKind; text: string }) {
  return (
    <span className={`mark ${kind}`}>
      <span aria-hidden="true">{SHAPES[kind]} </span>
      {text}
    </span>
  )
}
