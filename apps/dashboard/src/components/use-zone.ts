import { useSyncExternalStore } from 'react'
import { readZone, watchZone, type Zone } from '../zone.ts'

export function useZone(): Zone {
  return useSyncExternalStore(watchZone, readZone)
}
