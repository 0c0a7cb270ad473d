/**
 * What gives lasting power takes the password again. A call that the station refuses for that reason waits here until
 * the user has typed it, and is then made once more.
 */

/** Answers whether the password was shown. */
type Asker = () => Promise<boolean>

let asker: Asker | null = null
/** Several calls that come together ask once. */
let asking: Promise<boolean> | null = null

/** Answers how to take it back. */
export function askForPassword(by: Asker): () => void {
  asker = by
  return () => {
    if (asker === by) asker = null
  }
}

export function isConfirmed(): Promise<boolean> {
  if (asker === null) return Promise.resolve(false)
  asking ??= asker().finally(() => (asking = null))
  return asking
}
