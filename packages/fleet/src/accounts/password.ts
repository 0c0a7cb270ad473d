/**
 * Passwords: what may be one, and how it is kept. scrypt (RFC 7914) makes each guess cost memory;
 * the parameters stand in the hash, so that they can grow while old hashes still open.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { WeakPassword } from './account-errors.ts'

export interface PasswordCost {
  /** log2 of N: how much memory, 128·r·2^logN bytes. */
  logN: number
  r: number
  p: number
}

/**
 * 32 MiB and about a quarter of a second. Equal in guessing cost to N = 2^17, p = 1 (OWASP's first
 * choice) with a quarter of its memory: too cheap helps who steals the table, too much memory
 * helps who floods the station with log-ins.
 */
export const PASSWORD_COST: PasswordCost = { logN: 15, r: 8, p: 3 }

/** 1 GiB at r = 8: a damaged hash must not ask for more than the machine has. */
const LOG_N_MOST = 20
const SALT_BYTES = 16
const HASH_BYTES = 32
/** Characters. Shorter ones are guessed offline however they are hashed. */
const SHORTEST = 10
/** Longer ones are not stronger; a megabyte of password would only keep the station busy. */
const LONGEST = 256
const DISTINCT_LEAST = 5

/** A year or `!!!` after a common word is what is tried next. */
const ENDING_LONGEST = 4
/** A common password that is shorter plays no part, with or without an ending. */
export const COMMON_SHORTEST = SHORTEST - ENDING_LONGEST

export interface PasswordRules {
  name: string
  /** Common passwords of at least COMMON_SHORTEST characters, in lower case. */
  common: ReadonlySet<string>
}

export function checkPassword(password: string, { name, common }: PasswordRules): void {
  const text = password.normalize('NFKC')
  const letters = Array.from(text)
  const plain = text.toLowerCase()
  if (letters.length < SHORTEST) throw new WeakPassword(`is shorter than ${SHORTEST} characters`)
  if (letters.length > LONGEST) throw new WeakPassword(`is longer than ${LONGEST} characters`)
  if (new Set(letters).size < DISTINCT_LEAST) {
    throw new WeakPassword('repeats the same few characters')
  }
  if (isCommon(plain, common) || isSequence(plain)) {
    throw new WeakPassword('is one of the first that anyone would try')
  }
  // A digit or two around one's own name is the next thing they try.
  const rest = plain.replaceAll(name.toLowerCase(), '')
  if (rest.length < plain.length && rest.length < SHORTEST / 2) {
    throw new WeakPassword("is little more than the account's name")
  }
}

/** Also with a few digits or signs at its end, or said twice. */
function isCommon(plain: string, common: ReadonlySet<string>): boolean {
  if (common.has(plain)) return true
  for (let length = 1; length <= ENDING_LONGEST; length++) {
    if (/\p{L}/u.test(plain.slice(-length))) break
    if (common.has(plain.slice(0, -length))) return true
  }
  const half = plain.slice(0, plain.length / 2)
  return plain === half + half && common.has(half)
}

/** As in `abcdefghij`. */
function isSequence(plain: string): boolean {
  const codes = Array.from(plain, (letter) => letter.codePointAt(0)!)
  return codes.every((code, i) => i === 0 || code === codes[i - 1]! + 1)
}

/** `scrypt$ln=15,r=8,p=3$salt$hash`, salt and hash in base64url. */
export async function hashPassword(
  password: string,
  cost: PasswordCost = PASSWORD_COST,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, cost)
  return `${headOf(cost)}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** No password opens it, and finding that out takes as long as a wrong one. */
export function decoyHash(cost: PasswordCost = PASSWORD_COST): string {
  const [salt, hash] = [randomBytes(SALT_BYTES), randomBytes(HASH_BYTES)]
  return `${headOf(cost)}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

function headOf({ logN, r, p }: PasswordCost): string {
  return `scrypt$ln=${logN},r=${r},p=${p}`
}

/** False for anything that is not a hash of this form, too. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const parts = /^scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(stored)
  if (parts === null) return false
  const [, logN, r, p, salt = '', wanted = ''] = parts
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  if (cost.logN > LOG_N_MOST) return false
  const hash = await derive(password, Buffer.from(salt, 'base64url'), cost)
  const known = Buffer.from(wanted, 'base64url')
  return known.length === hash.length && timingSafeEqual(known, hash)
}

/** Made with other parameters than today's: to be made again while the password is at hand. */
export function isOutdated(stored: string, cost: PasswordCost = PASSWORD_COST): boolean {
  return !stored.startsWith(`${headOf(cost)}$`)
}

function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  const N = 2 ** cost.logN
  // Twice what scrypt needs: Node counts a little more than the formula.
  const maxmem = 2 * 128 * N * cost.r
  // One password, however a keyboard composes its accents.
  const text = withoutNul(password.normalize('NFKC'))
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, { N, r: cost.r, p: cost.p, maxmem }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}

/** scrypt's HMAC pads its key with NULs, so two passwords that differ only by NULs at their end
 * would open each other. The escape is one to one and leaves what people type as it is. */
function withoutNul(text: string): string {
  return text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\0', '\u0001\u0001')
}
