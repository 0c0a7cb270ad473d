/**
 * Names of accounts. A reserve holds a batch's money until its requests end; held money waits
 * until a device's results are trusted; `outside` is the world money comes from and goes to.
 */
export const OUTSIDE = 'outside'
export const PLATFORM = 'platform'

export const clientAccount = (client: string): string => `client:${client}`
export const reserveAccount = (batch: string): string => `reserve:${batch}`
export const heldAccount = (device: string): string => `held:${device}`
export const volunteerAccount = (owner: string): string => `volunteer:${owner}`

export const ACCOUNT_CLASSES = [
  'outside',
  'platform',
  'client',
  'reserve',
  'held',
  'volunteer',
] as const
export type AccountClass = (typeof ACCOUNT_CLASSES)[number]

/**
 * Whose balance may not fall below zero. A client's credit is its own rule (`reserve`); the
 * platform pays auditors before it has earned anything, and may owe.
 */
export function mustStayPositive(account: string): boolean {
  return /^(reserve|held|volunteer):/.test(account)
}

/** A reserve belongs to its batch, and held money has no owner yet: neither leaves the book. */
export function mayBePaidOut(account: string): boolean {
  return account === PLATFORM || /^(client|volunteer):/.test(account)
}

/** Where pay goes: to the owner, or kept until the device is trusted. */
export function payee(args: { device: string; owner: string; isHeld: boolean }): string {
  return args.isHeld ? heldAccount(args.device) : volunteerAccount(args.owner)
}
