/** How the page was opened, kept for the first screen: what signs in stands in the address, before there is a screen. */
import type { AddressLogin } from '../api/key.ts'

export type LoginArrival =
  | { kind: 'used'; isAccepted: boolean }
  /** This browser is signed in already: its owner decides. */
  | { kind: 'undecided'; login: AddressLogin }

let arrival: LoginArrival | null = null

export function keepArrival(next: LoginArrival): void {
  arrival = next
}

export function takeArrival(): LoginArrival | null {
  const taken = arrival
  arrival = null
  return taken
}
