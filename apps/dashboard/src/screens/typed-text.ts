/** Lines, addresses and numbers as people type them. */

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** People write `example.org`; what has a scheme, even a wrong one, is left for the station to judge. The command line
 * does the same by `withScheme` of the protocol, whose package is too large for the page; a test keeps the two equal. */
export function withScheme(address: string): string {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?([/?].*)?$/i.test(address)
    ? `https://${address}`
    : address
}

/** Null when empty, NaN when it is no number. A comma is a decimal point in half the world. */
export function numberIn(text: string): number | null {
  const trimmed = text.trim().replace(',', '.')
  return trimmed === '' ? null : Number(trimmed)
}
