/** Amounts and limits as people type them. */
const MICROS = 1_000_000

/** Micro-units of what was typed; null when it is no amount above zero that the ledger can hold. */
export function microsIn(text: string): number | null {
  const amount = text.trim().replace(',', '.')
  if (!/^\d+(\.\d{1,6})?$/.test(amount)) return null
  const micros = Math.round(Number(amount) * MICROS)
  return micros > 0 && Number.isSafeInteger(micros) ? micros : null
}

/** A count, null for no limit when empty, undefined when it is neither. */
export function limitIn(text: string): number | null | undefined {
  const typed = text.trim()
  if (typed === '') return null
  return /^\d{1,15}$/.test(typed) ? Number(typed) : undefined
}
