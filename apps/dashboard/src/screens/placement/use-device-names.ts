/** Devices by their names where these are known, else by their ids. */
import { useQuery } from '@tanstack/react-query'
import { readPlaceState } from '../../api/placement.ts'

const EVERY_MS = 5_000

export function usePlaceState() {
  return useQuery({ queryKey: ['place'], queryFn: readPlaceState, refetchInterval: EVERY_MS })
}

export function useDeviceNames(): (device: string | null) => string {
  const { data } = usePlaceState()
  return (device) => (device === null ? '' : (data?.names[device] ?? device))
}
