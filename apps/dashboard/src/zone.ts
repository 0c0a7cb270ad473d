/** One switch for every time on the page: the reader's own time zone, or UTC. */
export const ZONES = ['local', 'utc'] as const
export type Zone = (typeof ZONES)[number]

const STORED_AS = 'minga:zone'
const CHANGED = 'minga:zone'

export function readZone(): Zone {
  return localStorage.getItem(STORED_AS) === 'utc' ? 'utc' : 'local'
}

export function applyZone(zone: Zone): void {
  localStorage.setItem(STORED_AS, zone)
  window.dispatchEvent(new Event(CHANGED))
}

/** Calls back when it was switched, in this tab or another. */
export function watchZone(changed: () => void): () => void {
  window.addEventListener(CHANGED, changed)
  window.addEventListener('storage', changed)
  return () => {
    window.removeEventListener(CHANGED, changed)
    window.removeEventListener('storage', changed)
  }
}
