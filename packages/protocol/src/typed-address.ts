/** `example.org` as people type it is `https://example.org`; what has a scheme, even a wrong one, is left to be judged. */
export function withScheme(address: string): string {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?([/?].*)?$/i.test(address)
    ? `https://${address}`
    : address
}
