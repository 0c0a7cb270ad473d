/** An authenticator app: it shows the codes of a secret that its user entered. */
import { totpCode } from '../../../../packages/fleet/src/accounts/totp.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

export function codeAt(secret: string, now: number): string {
  const bits = Array.from(secret, (letter) =>
    ALPHABET.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const bytes = bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2))
  return totpCode(Buffer.from(bytes), Math.floor(now / STEP_MS))
}
