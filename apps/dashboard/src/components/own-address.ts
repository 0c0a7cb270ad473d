/**
 * Where programs reach this station, as far as its page knows. Browsers take names below `localhost` for the machine
 * itself; programs look them up, and find none.
 */
export function programOrigin(origin: string): string {
  return origin.replace(/^(https?:\/\/)(?:[a-z0-9-]+\.)+localhost(?=:|$)/, '$1127.0.0.1')
}
