/** Devices by their names where these are known, else by their ids. */
import { useStation } from '../../api/use-station.ts'

const EVERY_MS = 5_000

export function usePlaceState() {
  return useStation(['place'], 'GET /place/state', { refetchInterval: EVERY_MS })
}

export function useDeviceNames(): (device: string | null) => string {
  const { data } = usePlaceState()
  return (device) => (device === null ? '' : (data?.names[device] ?? device))
}
