/**
 * About where connected devices are, as a GeoIP file says of the address that they call from. It is kept in
 * memory only and to the degree, some hundred kilometres: near enough to estimate a round trip, too
 * far to find a home. Addresses are not kept.
 */
import type { Position } from '@minga/partition'

export type RoughPlace = Position & { errorKm: number }

const DEVICES_MOST = 100_000
const ERROR_KM = 100

export class DevicePlaces {
  readonly #places = new Map<string, RoughPlace>()

  /** Null: not known from where it calls now. */
  note(device: string, place: (Position & { errorKm?: number }) | null): void {
    this.#places.delete(device)
    if (place === null) return
    for (const oldest of this.#places.keys()) {
      if (this.#places.size < DEVICES_MOST) break
      this.#places.delete(oldest)
    }
    const { lat, lon, errorKm = ERROR_KM } = place
    this.#places.set(device, {
      lat: Math.round(lat),
      lon: Math.round(lon),
      errorKm: Math.max(errorKm, ERROR_KM),
    })
  }

  readonly of = (device: string): RoughPlace | null => this.#places.get(device) ?? null
}
