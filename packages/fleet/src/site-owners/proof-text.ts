/**
 * Checks of a proof that a user controls a host, as pure functions: a line in a file that only the
 * site's owner can put there, or a record in its DNS.
 */

/** Where the file lies on the host. */
export const PROOF_PATH = '/.well-known/minga-proof.txt'

/** Both are checked: many sites answer one by redirecting to the other. */
export const PROOF_SCHEMES = ['https', 'http'] as const

const RECORD_PREFIX = 'minga-proof='

/** Whether the file has the token in a separate line: there may be others. */
export function isInFile(token: string, text: string): boolean {
  return text.split(/\r\n|\r|\n/).some((line) => line.trim() === token)
}

export function recordOf(token: string): string {
  return `${RECORD_PREFIX}${token}`
}

/** TXT records as DNS gives them, each joined from its parts. */
export function isInRecords(token: string, records: readonly string[]): boolean {
  return records.some((record) => record.trim() === recordOf(token))
}

/** The names that are queried, of which the first is shown to the user. */
export function recordNames(hostName: string): string[] {
  return [`_minga-proof.${hostName}`, hostName]
}
