/** Numbers as the reader's language writes them. */
import { language } from './words.js'

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

export function number(value, digits = 0) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value)
}

export function bytes(value) {
  let unit = 0
  let left = value
  while (left >= 1000 && unit < UNITS.length - 1) {
    left /= 1000
    unit++
  }
  return `${number(left, left < 10 && unit > 0 ? 1 : 0)} ${UNITS[unit]}`
}

export function moment(ms) {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'medium' })
  return format.format(new Date(ms))
}
