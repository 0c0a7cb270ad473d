/** A site that trusts no one: checks a signed request against a key directory, step by step. */
import { createPublicKey, verify } from 'node:crypto'
import { signatureBase, thumbprintOf, type Covered } from '../../src/http/web-bot-auth.ts'

export interface PublishedKey {
  kty: string
  crv: string
  x: string
  kid: string
}

export interface SignedRequest {
  authority: string
  headers: Record<string, string | string[] | undefined>
  nowS: number
}

/** Null when the signature holds, else what is wrong with it. */
export function problemOf(request: SignedRequest, keys: readonly PublishedKey[]): string | null {
  const field = (name: string): string => String(request.headers[name] ?? '')
  const input = /^(\w+)=(\((.*?)\)(.*))$/.exec(field('signature-input'))
  if (input === null) return 'no Signature-Input'
  const [, label = '', params = '', list = '', rest = ''] = input
  const said = new Map(
    [...rest.matchAll(/;(\w+)=(?:"([^"]*)"|(\d+))/g)].map(([, name, text, number]) => [
      name!,
      text ?? number!,
    ]),
  )
  if (said.get('tag') !== 'web-bot-auth') return 'another tag'
  if (Number(said.get('created')) > request.nowS + 1) return 'from the future'
  if (Number(said.get('expires')) < request.nowS) return 'expired'
  const key = keys.find(({ x, kid }) => kid === said.get('keyid') && kid === thumbprintOf(x))
  if (key === undefined) return 'unknown key'
  const covered: Covered[] = list.split(' ').map((identifier) => {
    if (identifier === '"@authority"') return [identifier, request.authority]
    const member = /^"([\w-]+)";key="(\w+)"$/.exec(identifier)
    if (member === null) return [identifier, '']
    const value = new RegExp(`(?:^|,\\s*)${member[2]!}=("[^"]*")`).exec(field(member[1]!))?.[1]
    return [identifier, value ?? '']
  })
  if (!covered.some(([identifier]) => identifier === '"@authority"')) return 'no authority'
  if (!covered.some(([identifier]) => identifier.startsWith('"signature-agent"'))) return 'no agent'
  const signature = new RegExp(`^${label}=:([A-Za-z0-9+/=]+):$`).exec(field('signature'))?.[1]
  if (signature === undefined) return 'no Signature'
  const base = Buffer.from(signatureBase(covered, params))
  const jwk = { kty: key.kty, crv: key.crv, x: key.x }
  const isRight = verify(
    null,
    base,
    createPublicKey({ key: jwk, format: 'jwk' }),
    Buffer.from(signature, 'base64'),
  )
  return isRight ? null : 'wrong signature'
}
