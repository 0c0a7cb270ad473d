/**
 * Names for the bare addresses of the fake web, a registrable domain for each: some crawlers pace
 * by domain and pass over hosts that have none. Only the process that asks resolves them.
 */
const ADDRESS = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/
const NAME = /^bench-(127-\d{1,3}-\d{1,3}-\d{1,3})\.test$/

export function namedUrl(url: string): string {
  const parsed = new URL(url)
  if (!ADDRESS.test(parsed.hostname)) return url
  parsed.hostname = `bench-${parsed.hostname.replaceAll('.', '-')}.test`
  return parsed.href
}

/** Undefined for a name that was not made here. */
export function addressOfName(name: string): string | undefined {
  return NAME.exec(name)?.[1]?.replaceAll('-', '.')
}

/** What the web expects in the Host header, whichever way its host is called. */
export function hostHeaderOf(url: string): string {
  const { hostname, host, port } = new URL(url)
  const address = addressOfName(hostname)
  if (address === undefined) return host
  return port === '' ? address : `${address}:${port}`
}
