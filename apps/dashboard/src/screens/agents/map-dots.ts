/** How a dot of the fleet looks: its size says how many devices, its shape what the best of them does. */
import type { FleetDot } from '@minga/protocol'

export type DotShape = 'working' | 'idle' | 'away'

const SMALLEST_PX = 5
const LARGEST_PX = 22
const GROWTH_PX = 3

export const devicesAt = ({ working, idle, away }: FleetDot): number => working + idle + away

/** The area grows with the number, up to a size that still leaves the country visible. */
export function radiusOf(devices: number): number {
  return Math.min(LARGEST_PX, SMALLEST_PX + GROWTH_PX * (Math.sqrt(devices) - 1))
}

export function shapeOf({ working, idle }: FleetDot): DotShape {
  if (working > 0) return 'working'
  return idle > 0 ? 'idle' : 'away'
}

/** Small ones are drawn last, over large ones: each can be pointed at. */
export function inDrawingOrder(dots: readonly FleetDot[]): FleetDot[] {
  return dots.toSorted((a, b) => devicesAt(b) - devicesAt(a) || a.lat - b.lat || a.lon - b.lon)
}
