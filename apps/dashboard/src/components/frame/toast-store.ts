/**
 * Short news at the edge of the page, some with a way back. An act that can be undone waits a few
 * seconds and is then done; leaving the page before that confirms it.
 */

/** Long enough to read a line and reach a button. */
export const UNDO_MS = 6_000
const NEWS_MS = 6_000

export interface Toast {
  id: number
  text: string
  kind: 'news' | 'failure'
  /** What the button does; none for plain news. */
  undo: (() => void) | null
}

interface Waiting {
  act: () => Promise<unknown>
  settled: () => void
  timer: ReturnType<typeof setTimeout>
}

let toasts: readonly Toast[] = []
let nextId = 1
const waiting = new Map<number, Waiting>()
const listeners = new Set<() => void>()

export const readToasts = (): readonly Toast[] => toasts

export function watchToasts(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

export function dropToast(id: number): void {
  toasts = toasts.filter((toast) => toast.id !== id)
  for (const changed of listeners) changed()
}

export function tell(text: string, kind: Toast['kind'] = 'news'): void {
  const id = put({ text, kind, undo: null })
  // Failures stay until they were read.
  if (kind === 'news') setTimeout(() => dropToast(id), NEWS_MS)
}

/** Was done already; the button takes it back. */
export function tellWithWayBack(text: string, undo: () => void): void {
  const id = put({ text, kind: 'news', undo })
  setTimeout(() => dropToast(id), UNDO_MS)
}

interface LateAct {
  text: string
  act: () => Promise<unknown>
  /** After it was done, taken back or has failed: what was hidden is shown or read again. */
  settled: () => void
}

/** Is done when the time to take it back is over. */
export function actLater({ text, act, settled }: LateAct): void {
  const id = put({ text, kind: 'news', undo: () => takeBack(id) })
  const timer = setTimeout(() => void finish(id), UNDO_MS)
  waiting.set(id, { act, settled, timer })
}

/** What still waits is done now. */
export function finishAll(): void {
  for (const id of waiting.keys()) void finish(id)
}

async function finish(id: number): Promise<void> {
  const late = waiting.get(id)
  if (late === undefined) return
  waiting.delete(id)
  clearTimeout(late.timer)
  dropToast(id)
  await late.act().catch((error: unknown) => tell((error as Error).message, 'failure'))
  late.settled()
}

function takeBack(id: number): void {
  const late = waiting.get(id)
  if (late === undefined) return
  waiting.delete(id)
  clearTimeout(late.timer)
  late.settled()
}

function put(toast: Omit<Toast, 'id'>): number {
  const id = nextId++
  toasts = [...toasts, { ...toast, id }]
  for (const changed of listeners) changed()
  return id
}
