/** Whole numbers from 0 to 2⁵³ − 1 in seven bits per byte, the lowest first. */
import { BadTimes } from './errors.ts'

const MORE = 128
const MOST_BYTES = 8

export function writeVarints(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = []
  for (const number of numbers) {
    let rest = number
    while (rest >= MORE) {
      bytes.push((rest % MORE) + MORE)
      rest = Math.floor(rest / MORE)
    }
    bytes.push(rest)
  }
  return Uint8Array.from(bytes)
}

export function readVarints(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let [number, scale, length] = [0, 1, 0]
  for (const byte of bytes) {
    number += (byte % MORE) * scale
    if (++length > MOST_BYTES || !Number.isSafeInteger(number)) {
      throw new BadTimes('a number is too long')
    }
    if (byte >= MORE) scale *= MORE
    else {
      numbers.push(number)
      ;[number, scale, length] = [0, 1, 0]
    }
  }
  if (length > 0) throw new BadTimes('it ends within a number')
  return numbers
}
