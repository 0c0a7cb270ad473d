/** Captures of an address as marks on an axis of time, and the one a key leads to. */
export interface LineCapture {
  id: number
  capturedAt: number
  kind: 'response' | 'revisit'
  digest: string
}

export interface PlacedCapture {
  at: number
  /** From 0 to 1. */
  x: number
  /** Its bytes are others than those of the capture before it. */
  isChanged: boolean
}

/** Oldest first. */
export function placedCaptures(captures: readonly LineCapture[]): PlacedCapture[] {
  const ordered = captures.toSorted((a, b) => a.capturedAt - b.capturedAt || a.id - b.id)
  const first = ordered[0]?.capturedAt ?? 0
  const span = (ordered.at(-1)?.capturedAt ?? 0) - first
  return ordered.map(({ capturedAt, digest }, i) => ({
    at: capturedAt,
    x: span === 0 ? 0.5 : (capturedAt - first) / span,
    isChanged: i > 0 && ordered[i - 1]!.digest !== digest,
  }))
}

/** The index that a key leads to; null when it leads nowhere. */
export function captureByKey(
  key: string,
  from: number,
  placed: readonly PlacedCapture[],
): number | null {
  const last = placed.length - 1
  const within = (index: number): number | null => (index < 0 || index > last ? null : index)
  switch (key) {
    case 'ArrowLeft':
      return within(from - 1)
    case 'ArrowRight':
      return within(from + 1)
    case 'Home':
      return within(0)
    case 'End':
      return within(last)
    case 'PageUp':
      return within(placed.findLastIndex(({ isChanged }, i) => isChanged && i < from))
    case 'PageDown':
      return within(placed.findIndex(({ isChanged }, i) => isChanged && i > from))
    default:
      return null
  }
}
